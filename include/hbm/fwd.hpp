#pragma once

/// Forward declarations of the manager, the mesh and the policies, with their default template arguments. For headers
/// that only name a manager: it includes no other header of the library and no container.
///
///     using tpu_memory = hbm::manager<hbm::bottom_reserve<hbm::best_fit>, hbm::evict_lru>;
///     void start(tpu_memory& memory);
///
/// To use a manager, include <hbm/hbm.hpp>, and the headers of less common policies. Policies are checked when the
/// manager type is instantiated.

#include <cstdint>

namespace hbm::inline v0 {

enum class end : std::uint8_t;
enum class scratch_sharing : std::uint8_t;

// -- placements -------------------------------------------------------------------------------------------------------

template <class Quanta, end From = end{}>
struct basic_best_fit;
template <class Quanta, end From = end{}>
struct basic_best_fit_lifo;
template <class Quanta, end From = end{}>
struct basic_bfc;
template <class Quanta>
class basic_buddy;
template <class Quanta, end From = end{}>
struct basic_first_fit;
template <class Quanta, end From = end{}>
struct basic_good_fit;

using best_fit = basic_best_fit<std::uint32_t>;
using best_fit_lifo = basic_best_fit_lifo<std::uint32_t>;
using bfc = basic_bfc<std::uint32_t>;
using buddy = basic_buddy<std::uint32_t>;
using first_fit = basic_first_fit<std::uint32_t>;
using good_fit = basic_good_fit<std::uint32_t>;

template <class P, scratch_sharing Sharing = scratch_sharing{}>
class bottom_reserve;
template <class P>
class compacting;
template <class P>
class free_together;
template <class P>
class lifetimes_apart;
template <class P>
class scheduled;

// -- eviction, donation and relief policies, devices, observers -------------------------------------------------------

struct evict_cheapest_window;
struct evict_greedy_dual;
struct evict_lru;
struct never_evict;

struct donate_fitting;
struct donate_same_size;
struct never_donate;

struct compact_first;
struct evict_first;
struct never_relieve;
struct relieve_cheapest;
struct rent_or_buy;

class host_device;
struct no_device;

class allocation_ages;
struct event_log;
struct no_events;
struct statistics;

// -- managers ---------------------------------------------------------------------------------------------------------

template <class Placement, class Eviction = never_evict, class Donation = never_donate, class Relief = relieve_cheapest,
          class Device = no_device, class Events = no_events>
class manager;
template <class Manager>
class mesh;

}  // namespace hbm::inline v0
