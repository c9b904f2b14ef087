# The toolchain of the page: emscripten's own, from its SDK (EMSDK) or from Debian's package.
set(hbm_emscripten "/usr/share/emscripten")
if(DEFINED ENV{EMSDK})
    set(hbm_emscripten "$ENV{EMSDK}/upstream/emscripten")
endif()
set(hbm_emscripten_file "${hbm_emscripten}/cmake/Modules/Platform/Emscripten.cmake")
if(NOT EXISTS "${hbm_emscripten_file}")
    message(FATAL_ERROR "The page is compiled by emscripten, but ${hbm_emscripten_file} was not found. Install it (Debian, "
        "Ubuntu: apt-get install --no-install-recommends emscripten), or set EMSDK to the folder of its SDK.")
endif()
include("${hbm_emscripten_file}")
