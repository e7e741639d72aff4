// A host for the standard library alone (sim/script/prelude): no world, one queue of tasks, a
// clock that jumps to the next timer. What the tests of the prelude run on.
//
// Evaluates to a function of (global) that gives the object `page` for the files of the
// prelude; page.turn() runs the next task and returns false when none is left. Microtasks run
// between two turns, as the outermost call from C returns.
(function (global) {
    "use strict";

    const tasks = [], timers = [];
    const areas = { local: new Map(), session: new Map() };
    let now = 0, drawn = 0;

    function nextTimer() {
        timers.sort((a, b) => a.at - b.at || a.order - b.order);
        return timers.shift();
    }

    const host = {
        now: () => now,
        task(run) { tasks.push(run); },
        timer(ms, run) { timers.push({ at: now + ms, order: drawn++, run }); },
        uncaught(error) { global.log("uncaught:", error); },
        random: () => (drawn = (Math.imul(drawn, 1664525) + 1013904223) >>> 0),
        console(level, text) { global.log(`console.${level}:`, text); },
        storage(name) {
            const area = areas[name];
            return {
                keys: () => [...area.keys()],
                get: (key) => area.get(key) ?? null,
                set: (key, value) => value.length < 5 << 20 && !!area.set(key, value),
                remove: (key) => area.delete(key),
                clear: () => area.clear(),
            };
        },
        databases: new Map(),
    };

    global.setTimeout = (run, ms = 0) => host.timer(ms, run);

    function turn() {
        if (tasks.length > 0) {
            tasks.shift()();
            return true;
        }
        const timer = nextTimer();
        if (!timer) return false;
        now = timer.at;
        timer.run();
        return true;
    }

    return { global, host, turn };
})
