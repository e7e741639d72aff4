/* Between the files of the world that deal with faults: world_aim.c plans and aims,
 * world_schedule.c plays what the scenario lists, world_action.c what users and browsers do
 * there, world_fault.c begins and ends,
 * world_harm.c acts. Nobody else includes this. */
#ifndef SIM_WORLD_FAULT_H
#define SIM_WORLD_FAULT_H

#include "sim/world.h"

/* world_aim.c: the leading device, for FAULT_SECOND_DEVICE another. */
uint8_t aim_device(const struct world *w, enum fault_kind k);
/* PAGE_NONE when there is no such page. The leading device comes first. */
uint16_t aim_holder(const struct world *w);
uint16_t aim_waiter(const struct world *w);
uint16_t aim_any_page(struct world *w, uint8_t device);

/* world_fault.c: fault i happens now, to the target that it has. */
void fault_begin(struct world *w, uint32_t i);

/* world_action.c: the page of a tab that is there and not closing, or PAGE_NONE; the first one
 * of a device, or the first that can run tasks; what an action step does. */
uint16_t action_page(const struct world *w, uint32_t tab);
uint16_t action_first_page(const struct world *w, uint8_t device, bool running);
enum step_outcome action_do(struct world *w, uint32_t step);

/* world_harm.c: `f` says whom and gives the cause. */
void harm_reload_in(struct world *w, uint16_t tab, int64_t us, bool visible);
int64_t harm_back_us(struct world *w);
void harm_close_tab(struct world *w, uint16_t p);
uint32_t harm_new_tab(struct world *w, uint8_t device);
void harm_duplicate(struct world *w, const struct planned_fault *f);
void harm_open_page(struct world *w, const struct planned_fault *f, bool without_locks, bool older);
void harm_cut(struct world *w, uint8_t device, uint8_t node, uint8_t bits, uint32_t cause);
void harm_heal(struct world *w, uint8_t device, uint8_t node, uint8_t bits);
uint8_t harm_cut_bits(enum fault_kind k);
void harm_cut_node_off(struct world *w, const struct planned_fault *f, bool from_pages);
void harm_sleep_device(struct world *w, struct planned_fault *f);
void harm_wake_device(struct world *w, uint8_t device);
void harm_jump_clock(struct world *w, uint8_t device);
void harm_skew_clock(struct world *w, uint8_t device, int32_t ppm);
void harm_refuse_locks(struct world *w, const struct planned_fault *f, bool refuse);
void harm_clear_data(struct world *w, const struct planned_fault *f);
void harm_nest_locks(struct world *w, struct planned_fault *f);
void harm_browser_crash(struct world *w, uint8_t device);
void harm_restore_session(struct world *w, uint8_t device);
void harm_hide_all(struct world *w, uint8_t device, bool hide);
void harm_hide_holder(struct world *w, struct planned_fault *f);
void harm_freeze_waiter(struct world *w, struct planned_fault *f);
void harm_user_works_on(struct world *w, const struct planned_fault *f);
bool harm_is_quiet(const struct world *w);
void harm_user_looks(struct world *w, const struct planned_fault *f);
void harm_lose_answers(struct world *w, struct planned_fault *f);
void harm_meddle_next(struct world *w, struct planned_fault *f, bool late);
void harm_set_quota(struct world *w, const struct planned_fault *f, bool full);
void harm_fill_quota(struct world *w, struct planned_fault *f);
void harm_advance_epoch(struct world *w, uint8_t node, enum incident what, uint32_t cause);

#endif
