#ifndef HBM_TESTS_STORY_H
#define HBM_TESTS_STORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Null when all went well, otherwise what did not hold. */
const char* hbm_tell_story(void);

#ifdef __cplusplus
}
#endif

#endif
