/* query() is a list of what is held and what waits; a request that waits for its own client shows
 * there, and nothing resolves it.
 *
 * rules: WL-7 WL-58 WL-59 WL-60
 * steps:
 *   open page
 *   open other
 *   click other look
 */
const hold = (name, mode) => navigator.locks.request(name, { mode }, () => new Promise(() => {}));

function page() {
    hold("b", "exclusive");
    hold("b", "exclusive");
    hold("a", "shared");
    hold("a", "shared");
    hold("B", "exclusive");
}

function other() {
    hold("b", "shared");
    hold("a", "exclusive");
}

async function look() {
    const clients = [];
    const number = (id) => (clients.includes(id) ? 0 : clients.push(id), clients.indexOf(id));
    const { held, pending } = await navigator.locks.query();
    for (const [state, list] of Object.entries({ held, pending }))
        for (const entry of list)
            probe.log(state, entry.name, entry.mode, "client", number(entry.clientId));
    probe.log("keys", Object.keys(held[0]));
    probe.log("hexadecimal ids:", clients.every((id) => /^[0-9A-F]{32}$/.test(id)));
}
