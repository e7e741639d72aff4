// timeline.html: draws the swim lanes of one round on a canvas. Only what is in view is drawn,
// so that forty lanes and twenty thousand observations move without stutter.
//
//   data       arrays, as timeline_html.c writes them
//   view       which time and which lanes are seen
//   draw       one frame, from back to front
//   choose     the chosen observation, its words and the chain of its causes
//   input      pointer, wheel, keys, search
(function () {
    "use strict";

    // ---- data -------------------------------------------------------------------------------
    var data = JSON.parse(document.getElementById("data").textContent);
    var SPAN = { lane: 0, kind: 1, from: 2, to: 3, began: 4, ended: 5, generation: 6, name: 7 };
    var ARROW = { fromLane: 0, from: 1, toLane: 2, to: 3, began: 4, ended: 5, kind: 6, lost: 7,
                  what: 8 };
    var EVENT = { at: 0, lane: 1, kind: 2, cause: 3, page: 4, words: 5,
                  sentence: 6 };
    var stateOf = {};
    data.states.forEach(function (s, i) { stateOf[s[0]] = i; });
    var S = stateOf;
    var end = Math.max(data.end, 1);
    var spansOf = data.lanes.map(function () { return []; });
    var eventsOf = data.lanes.map(function () { return []; });
    data.spans.forEach(function (s) { spansOf[s[SPAN.lane]].push(s); });
    data.events.forEach(function (e, i) {
        if (e[EVENT.lane] >= 0) eventsOf[e[EVENT.lane]].push(i);
    });
    // From back to front: what the page is, what it believes, what it holds.
    function layerOf(s) {
        var kind = s[SPAN.kind];
        return kind === S.waits || kind === S.holds ? 2
            : kind === S.believes || kind === S.accepts ? 1 : 0;
    }
    spansOf.forEach(function (list) {
        list.sort(function (a, b) { return layerOf(a) - layerOf(b); });
    });
    var witnesses = [];
    data.witnesses.forEach(function (w) {
        for (var i = 1; i < 3; i++)
            if (w[i] >= 0 && witnesses.indexOf(w[i]) < 0) witnesses.push(w[i]);
    });
    witnesses.sort(function (a, b) { return a - b; });

    function isBusy(lane) {
        return data.lanes[lane][0] !== "tab" || spansOf[lane].some(function (s) {
            return s[SPAN.kind] === S.holds || s[SPAN.kind] === S.believes;
        });
    }

    // Faults overlap: each gets the first row that is free when it begins.
    var faultRow = new Map(), rowEnds = [];
    data.spans.forEach(function (s) {
        if (s[SPAN.kind] !== S.fault) return;
        var row = rowEnds.findIndex(function (at) { return at <= s[SPAN.from]; });
        if (row < 0) row = rowEnds.length;
        rowEnds[row] = s[SPAN.to];
        faultRow.set(s, row);
    });

    // ---- view -------------------------------------------------------------------------------
    var NAMES = 150, AXIS = 26, LANE = 30, THIN = 18, ROW = 17;
    var box = document.getElementById("lanes");
    var canvas = document.getElementById("canvas");
    var paper = canvas.getContext("2d");
    var tip = document.getElementById("tip");
    var view = { from: 0, to: end, lanes: [], top: [], height: 0, chosen: -1, names: NAMES,
                 width: 1, scroll: 0 };
    var colour = {};

    function layOut() {
        var all = document.getElementById("idle").checked;
        view.lanes = [];
        view.top = data.lanes.map(function () { return -1; });
        var y = AXIS;
        data.lanes.forEach(function (lane, i) {
            if (!all && !isBusy(i)) return;
            view.lanes.push(i);
            view.top[i] = y;
            y += heightOf(i);
        });
        view.height = y + 4;
        box.firstElementChild.style.height = view.height + "px";
        box.style.height = "min(" + (view.height + 2) + "px, 72vh)";
    }

    function heightOf(lane) {
        var kind = data.lanes[lane][0];
        return kind === "device" ? THIN + 6
            : kind === "faults" ? 8 + ROW * Math.max(rowEnds.length, 1) : LANE;
    }

    function readColours() {
        var style = getComputedStyle(document.documentElement);
        ["card", "ink", "soft", "line", "accent", "bad", "visible", "hidden", "blocked", "frozen",
            "cached", "gap", "fault", "down", "hold", "wait", "request", "answer",
            "generation-light", "generation-ink"].forEach(function (name) {
            colour[name] = style.getPropertyValue("--" + name).trim();
        });
    }

    function generationColour(generation) {
        return "hsl(" + (generation * 137.5) % 360 + " 62% " + colour["generation-light"] + ")";
    }

    // The document is asked once a frame: it would be asked for every end of every arrow.
    function measure() {
        view.width = canvas.clientWidth - view.names;
        view.scroll = box.scrollTop;
    }

    function width() { return view.width; }
    function xOf(us) { return view.names + (us - view.from) / (view.to - view.from) * width(); }
    function timeOf(x) {
        return view.from + (x - view.names) / Math.max(width(), 1) * (view.to - view.from);
    }
    function yOf(lane) { return view.top[lane] - view.scroll; }

    function setView(from, to) {
        var span = Math.min(Math.max(to - from, 50), end * 1.02);
        from = Math.min(Math.max(from, -end * 0.01), end * 1.01 - span);
        view.from = from;
        view.to = from + span;
        redraw();
    }

    function zoom(factor, x) {
        var at = timeOf(x === undefined ? view.names + width() / 2 : x);
        setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
    }

    function pan(share) {
        var by = (view.to - view.from) * share;
        setView(view.from + by, view.to + by);
    }

    var asked = false;
    function redraw() {
        if (asked) return;
        asked = true;
        requestAnimationFrame(function () { asked = false; draw(); });
    }

    // ---- draw -------------------------------------------------------------------------------
    function draw() {
        measure();
        var scale = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
        if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
            canvas.width = Math.round(w * scale);
            canvas.height = Math.round(h * scale);
        }
        paper.setTransform(scale, 0, 0, scale, 0, 0);
        paper.clearRect(0, 0, w, h);
        paper.save();
        paper.beginPath();
        paper.rect(view.names, 0, w - view.names, h);
        paper.clip();
        drawGrid(h);
        view.lanes.forEach(function (lane) { drawLane(lane, w, h); });
        if (document.getElementById("requests").checked) drawArrows();
        drawWitnesses();
        drawChain();
        paper.restore();
        drawNames(w, h);
        drawAxis(w);
    }

    function step() {
        var want = (view.to - view.from) / Math.max(width() / 110, 1), unit = 1;
        while (unit * 10 <= want) unit *= 10;
        return unit * (want / unit <= 1 ? 1 : want / unit <= 2 ? 2 : want / unit <= 5 ? 5 : 10);
    }

    function timeText(us, by) {
        if (by >= 1e6) return (us / 1e6).toFixed(0) + " s";
        if (by >= 1e3) return (us / 1e6).toFixed(by >= 1e5 ? 1 : by >= 1e4 ? 2 : 3) + " s";
        return (us / 1e6).toFixed(6) + " s";
    }

    function eachTick(visit) {
        var by = step();
        for (var t = Math.ceil(view.from / by) * by; t <= view.to; t += by)
            if (t >= 0) visit(t, xOf(t), by);
    }

    function drawGrid(h) {
        paper.strokeStyle = colour.line;
        paper.lineWidth = 1;
        paper.beginPath();
        eachTick(function (t, x) { paper.moveTo(x, AXIS); paper.lineTo(x, h); });
        paper.stroke();
    }

    function drawAxis(w) {
        paper.fillStyle = colour.card;
        paper.fillRect(0, 0, w, AXIS);
        paper.fillStyle = colour.soft;
        paper.font = "12px system-ui, sans-serif";
        paper.textAlign = "center";
        paper.textBaseline = "middle";
        eachTick(function (t, x, by) {
            if (x > view.names + 20) paper.fillText(timeText(t, by), x, AXIS / 2);
        });
        paper.strokeStyle = colour.line;
        line(0, AXIS - 0.5, w, AXIS - 0.5);
    }

    function line(x0, y0, x1, y1) {
        paper.beginPath();
        paper.moveTo(x0, y0);
        paper.lineTo(x1, y1);
        paper.stroke();
    }

    // Where in its lane a span is drawn, and how.
    function rowOf(s, height) {
        var kind = s[SPAN.kind];
        if (kind === S.fault) return [4 + ROW * faultRow.get(s), ROW - 2];
        if (kind === S.waits || kind === S.holds) return [height - 8, 5];
        if (kind === S.believes) return [4, 12];
        if (kind === S.cut || kind === S.asleep) return [3, height - 6];
        if (kind === S.accepts) return [6, height - 13];
        return [3, height - 6];
    }

    function fillOf(s) {
        switch (s[SPAN.kind]) {
        case S.believes: case S.accepts: return generationColour(s[SPAN.generation]);
        case S.holds: return colour.hold;
        case S.waits: return colour.wait;
        case S.cut: case S.asleep: case S.down: return colour.down;
        default: return colour[data.states[s[SPAN.kind]][0]];
        }
    }

    function drawLane(lane, w, h) {
        var y = yOf(lane), height = heightOf(lane), last = {};
        if (y + height < AXIS || y > h) return;
        paper.strokeStyle = colour.line;
        line(view.names, y + height - 0.5, w, y + height - 0.5);
        spansOf[lane].forEach(function (s) {
            if (s[SPAN.to] < view.from || s[SPAN.from] > view.to) return;
            var x0 = Math.max(xOf(s[SPAN.from]), view.names - 2);
            var x1 = Math.min(xOf(s[SPAN.to]), w + 2), kind = s[SPAN.kind];
            if (x1 - x0 < 0.6 && last[kind] === Math.round(x0)) return;
            last[kind] = Math.round(x0);
            drawSpan(s, x0, Math.max(x1, x0 + 1), y, height);
        });
        drawTicks(lane, y, height);
    }

    function drawSpan(s, x0, x1, y, height) {
        var row = rowOf(s, height), kind = s[SPAN.kind];
        paper.fillStyle = fillOf(s);
        if (kind === S.waits) {
            paper.fillRect(x0, y + row[0] + 2, x1 - x0, 1.5);
        } else {
            paper.fillRect(x0, y + row[0], x1 - x0, row[1]);
        }
        if (kind === S.frozen || kind === S.cached || kind === S.down || kind === S.cut)
            hatch(x0, y + row[0], x1 - x0, row[1]);
        var label = labelOf(s);
        if (!label || x1 - x0 < 26) return;
        paper.font = "11px system-ui, sans-serif";
        paper.textAlign = "left";
        paper.textBaseline = "middle";
        if (paper.measureText(label).width > x1 - x0 - 6) return;
        paper.fillStyle = kind === S.believes || kind === S.accepts
            ? colour["generation-ink"] : colour.ink;
        paper.fillText(label, Math.max(x0, view.names) + 4, y + row[0] + row[1] / 2 + 0.5);
    }

    function labelOf(s) {
        switch (s[SPAN.kind]) {
        case S.believes: case S.accepts: return s[SPAN.name].replace(/^\S+( in)? /, "");
        case S.gap: return s[SPAN.name].replace("nobody can lead: ", "");
        case S.fault: case S.cut: case S.asleep: case S.down: return s[SPAN.name];
        default: return "";
        }
    }

    // Not by colour alone: what does not run is hatched.
    function hatch(x, y, w, h) {
        paper.save();
        paper.beginPath();
        paper.rect(x, y, w, h);
        paper.clip();
        paper.strokeStyle = colour.soft;
        paper.globalAlpha = 0.35;
        paper.beginPath();
        for (var at = Math.floor((x - h) / 7) * 7; at < x + w; at += 7) {
            paper.moveTo(at, y + h);
            paper.lineTo(at + h, y);
        }
        paper.stroke();
        paper.restore();
    }

    function drawTicks(lane, y, height) {
        var list = eventsOf[lane], i = firstFrom(list, view.from), last = -1;
        var fault = data.lanes[lane][0] === "faults";
        paper.fillStyle = fault ? colour.bad : colour.soft;
        for (; i < list.length && data.events[list[i]][EVENT.at] <= view.to; i++) {
            var x = Math.round(xOf(data.events[list[i]][EVENT.at]));
            if (x === last) continue;
            last = x;
            if (fault && /begun/.test(data.kinds[data.events[list[i]][EVENT.kind]][0]))
                triangle(x, y + 1);
            else
                paper.fillRect(x, y + height - 3, 1, 3);
        }
    }

    function triangle(x, y) {
        paper.beginPath();
        paper.moveTo(x - 4, y);
        paper.lineTo(x + 4, y);
        paper.lineTo(x, y + 7);
        paper.fill();
    }

    // Index into `list`, which is in order of time, of the first event from `us` on.
    function firstFrom(list, us) {
        var low = 0, high = list.length;
        while (low < high) {
            var middle = (low + high) >> 1;
            if (data.events[list[middle]][EVENT.at] < us) low = middle + 1; else high = middle;
        }
        return low;
    }

    function middle(lane) { return yOf(lane) + heightOf(lane) / 2; }

    // Arrows that would fall on each other are drawn once, those of a kind in one stroke; from
    // afar an answer takes the way of its request and is left out.
    function drawArrows() {
        var pixels = width() / (view.to - view.from) * 1e6; // of a second
        var zoomed = pixels > 60, far = pixels < 20, grain = far ? 2 : 1;
        var seen = new Set(), lines = [[], []], special = [];
        data.arrows.forEach(function (a) {
            if (a[ARROW.to] < view.from || a[ARROW.from] > view.to) return;
            var from = a[ARROW.fromLane], to = a[ARROW.toLane], kind = a[ARROW.kind];
            if (view.top[from] < 0 || view.top[to] < 0) return;
            var p = [xOf(a[ARROW.from]), middle(from), xOf(a[ARROW.to]), middle(to)];
            if (far && kind === 1 && !a[ARROW.lost]) return;
            var key = ((Math.round(p[0] / grain) * 4096 + from) * 4096 + to) * 8 + kind * 2 + a[ARROW.lost];
            if (seen.has(key)) return;
            seen.add(key);
            if (a[ARROW.lost] || kind === 2) special.push([a, p]); else lines[kind].push(p);
        });
        strokeAll(lines[0], colour.request, zoomed, []);
        strokeAll(lines[1], colour.answer, zoomed, zoomed ? [4, 3] : []);
        special.forEach(function (x) { drawSpecial(x[0], x[1]); });
    }

    function strokeAll(lines, ink, zoomed, dash) {
        paper.globalAlpha = zoomed ? 0.7 : 0.3;
        paper.strokeStyle = paper.fillStyle = ink;
        paper.setLineDash(dash);
        paper.beginPath();
        lines.forEach(function (p) {
            if (Math.abs(p[2] - p[0]) < 3) { // upright: a box is drawn much faster than a line
                paper.fillRect(Math.round(p[0]), Math.min(p[1], p[3]), 1, Math.abs(p[3] - p[1]));
                return;
            }
            paper.moveTo(p[0], p[1]);
            paper.lineTo(p[2], p[3]);
        });
        paper.stroke();
        paper.setLineDash([]);
        if (zoomed) lines.forEach(function (p) { head(p[0], p[1], p[2], p[3]); });
        paper.globalAlpha = 1;
    }

    // A lost request or answer, a theft of the lock.
    function drawSpecial(a, p) {
        var lost = a[ARROW.lost], x = p[2], y = p[3];
        paper.strokeStyle = paper.fillStyle = colour.bad;
        paper.lineWidth = lost ? 1 : 2;
        if (lost) {
            x = Math.max(p[0] + 8, (p[0] + p[2]) / 2);
            y = p[1] + (p[3] - p[1]) * 0.4;
        }
        line(p[0], p[1], x, y);
        if (lost) cross(x, y); else head(p[0], p[1], x, y);
        paper.lineWidth = 1;
    }

    function cross(x, y) {
        paper.lineWidth = 1.6;
        line(x - 4, y - 4, x + 4, y + 4);
        line(x - 4, y + 4, x + 4, y - 4);
    }

    function head(x0, y0, x1, y1) {
        var angle = Math.atan2(y1 - y0, x1 - x0);
        paper.beginPath();
        paper.moveTo(x1, y1);
        paper.lineTo(x1 - 7 * Math.cos(angle - 0.4), y1 - 7 * Math.sin(angle - 0.4));
        paper.lineTo(x1 - 7 * Math.cos(angle + 0.4), y1 - 7 * Math.sin(angle + 0.4));
        paper.fill();
    }

    function placeOf(number) {
        var e = data.events[number];
        if (!e || e[EVENT.lane] < 0 || view.top[e[EVENT.lane]] < 0) return null;
        return [xOf(e[EVENT.at]), middle(e[EVENT.lane])];
    }

    function ring(p, radius, ink) {
        paper.strokeStyle = ink;
        paper.lineWidth = 2.5;
        paper.beginPath();
        paper.arc(p[0], p[1], radius, 0, 2 * Math.PI);
        paper.stroke();
        paper.lineWidth = 1;
    }

    function drawWitnesses() {
        data.witnesses.forEach(function (w) {
            var a = placeOf(w[1]), b = placeOf(w[2]);
            if (a) ring(a, 8, colour.bad);
            if (b) ring(b, 8, colour.bad);
            if (!a || !b) return;
            paper.strokeStyle = colour.bad;
            paper.lineWidth = 2;
            paper.setLineDash([6, 4]);
            line(a[0], a[1], b[0], b[1]);
            paper.setLineDash([]);
            paper.lineWidth = 1;
        });
    }

    function chainOf(number) {
        var chain = [];
        for (var n = number; n >= 0 && n < data.events.length && chain.length < 40;) {
            chain.push(n);
            var cause = data.events[n][EVENT.cause];
            n = cause < n ? cause : -1;
        }
        return chain;
    }

    function drawChain() {
        if (view.chosen < 0) return;
        var last = null;
        paper.strokeStyle = colour.accent;
        paper.lineWidth = 2;
        chainOf(view.chosen).forEach(function (n) {
            var p = placeOf(n);
            if (p && last) line(last[0], last[1], p[0], p[1]);
            last = p || last;
        });
        paper.lineWidth = 1;
        var here = placeOf(view.chosen);
        if (here) ring(here, 6, colour.accent);
    }

    function drawNames(w, h) {
        paper.fillStyle = colour.card;
        paper.fillRect(0, 0, view.names, h);
        paper.textAlign = "left";
        paper.textBaseline = "middle";
        view.lanes.forEach(function (lane) {
            var y = yOf(lane), kind = data.lanes[lane][0], tab = kind === "tab";
            if (y + heightOf(lane) < AXIS || y > h) return;
            paper.font = (tab ? "" : "600 ") + "12.5px system-ui, sans-serif";
            paper.fillStyle = tab ? colour.ink : colour.soft;
            paper.fillText(data.lanes[lane][1], tab ? 22 : 10, y + heightOf(lane) / 2);
            paper.strokeStyle = colour.line;
            line(0, y + heightOf(lane) - 0.5, view.names, y + heightOf(lane) - 0.5);
        });
        paper.strokeStyle = colour.line;
        line(view.names - 0.5, 0, view.names - 0.5, h);
    }

    // ---- choose -----------------------------------------------------------------------------
    function element(name, text, parent, className) {
        var e = document.createElement(name);
        if (text) e.textContent = text;
        if (className) e.className = className;
        parent.appendChild(e);
        return e;
    }

    function whereOf(number) {
        var e = data.events[number], lane = e[EVENT.lane] >= 0 ? data.lanes[e[EVENT.lane]][1] : "";
        return lane + (e[EVENT.page] >= 0 ? " page " + e[EVENT.page] : "");
    }

    function seconds(us) { return (us / 1e6).toFixed(6) + " s"; }

    function textOf(number) {
        var e = data.events[number];
        return whereOf(number) + " " + data.kinds[e[EVENT.kind]][0] + " " + e[EVENT.words];
    }

    function listItem(list, number, text) {
        var item = element("li", "", list);
        var button = element("button", "#" + number, item);
        button.type = "button";
        button.addEventListener("click", function () { choose(number, true); });
        item.appendChild(document.createTextNode(" " + text));
    }

    // What history.def says of a kind, without what it says of the members of its struct.
    function meaning(says) {
        return says.split(/[;,] /).filter(function (part) {
            return !/^(\w+|flags \d): /.test(part) && !/^\d /.test(part);
        }).join("; ");
    }

    function choose(number, bring) {
        if (number < 0 || number >= data.events.length) return;
        view.chosen = number;
        var e = data.events[number], kind = data.kinds[e[EVENT.kind]];
        var detail = document.getElementById("detail");
        detail.textContent = "";
        element("h2", "#" + number + "  " + kind[0] + "  at " + seconds(e[EVENT.at]), detail);
        if (e[EVENT.sentence]) element("p", e[EVENT.sentence], detail, "sentence");
        element("p", whereOf(number) + (e[EVENT.words] ? ": " + e[EVENT.words] : ""), detail);
        var says = meaning(kind[1]);
        if (says) element("p", says, detail, "says");
        var chain = chainOf(number).slice(1);
        if (chain.length) element("p", "What led to it:", detail, "says");
        var list = element("ol", "", detail, "chain");
        chain.forEach(function (n) {
            listItem(list, n, seconds(data.events[n][EVENT.at]) + "  " +
                (data.events[n][EVENT.sentence] || textOf(n)));
        });
        if (bring) bringIntoView(number);
        redraw();
    }

    function bringIntoView(number) {
        var e = data.events[number], span = view.to - view.from, lane = e[EVENT.lane];
        if (e[EVENT.at] < view.from + span * 0.03 || e[EVENT.at] > view.to - span * 0.03)
            setView(e[EVENT.at] - span / 2, e[EVENT.at] + span / 2);
        if (lane < 0) return;
        if (view.top[lane] < 0) {
            document.getElementById("idle").checked = true;
            layOut();
        }
        if (yOf(lane) < AXIS || yOf(lane) + heightOf(lane) > canvas.clientHeight)
            box.scrollTop = view.top[lane] - canvas.clientHeight / 2;
    }

    function nextWitness() {
        if (!witnesses.length) return;
        var next = witnesses.find(function (n) { return n > view.chosen; });
        if (next === undefined) next = witnesses[0];
        var span = Math.min(view.to - view.from, 2e6), at = data.events[next][EVENT.at];
        setView(at - span / 2, at + span / 2);
        choose(next, true);
    }

    function stepBy(by, sameLane) {
        if (view.chosen < 0) { choose(firstFromAll(view.from), true); return; }
        if (!sameLane) { choose(view.chosen + by, true); return; }
        var list = eventsOf[data.events[view.chosen][EVENT.lane]];
        if (list) choose(list[list.indexOf(view.chosen) + by], true);
    }

    function firstFromAll(us) {
        var i = data.events.findIndex(function (e) { return e[EVENT.at] >= us; });
        return i < 0 ? data.events.length - 1 : i;
    }

    // The observation nearest in time in the lane above or below that has any.
    function stepLane(by) {
        if (view.chosen < 0) { stepBy(1, false); return; }
        var e = data.events[view.chosen], at = view.lanes.indexOf(e[EVENT.lane]);
        for (at += by; at >= 0 && at < view.lanes.length; at += by) {
            var list = eventsOf[view.lanes[at]];
            if (!list.length) continue;
            choose(list[Math.min(firstFrom(list, e[EVENT.at]), list.length - 1)], true);
            return;
        }
    }

    // ---- input ------------------------------------------------------------------------------
    var found = document.getElementById("found");
    function find(text) {
        var wanted = text.trim().toLowerCase(), number = wanted.match(/^#?(\d+)$/);
        if (!wanted) return;
        if (number) {
            var n = Number(number[1]);
            found.textContent = n < data.events.length ? "" : "no such number";
            choose(n, true);
            return;
        }
        for (var i = 1; i <= data.events.length; i++) {
            var at = (view.chosen + i) % data.events.length;
            if (textOf(at).toLowerCase().indexOf(wanted) < 0) continue;
            found.textContent = "#" + at;
            choose(at, true);
            return;
        }
        found.textContent = "nothing found";
    }

    function laneAt(y) {
        return view.lanes.find(function (lane) {
            return y >= Math.max(yOf(lane), AXIS) && y < yOf(lane) + heightOf(lane);
        });
    }

    // What is under the pointer: an observation within six pixels, or the topmost span.
    function hit(x, y) {
        var lane = laneAt(y), us = timeOf(x);
        if (lane === undefined || x < view.names) return null;
        var list = eventsOf[lane], i = firstFrom(list, us), best = -1, distance = 6;
        [i - 1, i].forEach(function (k) {
            if (k < 0 || k >= list.length) return;
            var d = Math.abs(xOf(data.events[list[k]][EVENT.at]) - x);
            if (d <= distance) { distance = d; best = list[k]; }
        });
        var spans = spansOf[lane].filter(function (s) {
            return s[SPAN.from] <= us && s[SPAN.to] >= us;
        });
        return { event: best, spans: spans };
    }

    function showTip(x, y, clientX, clientY) {
        var h = hit(x, y), text = [];
        if (h && h.event >= 0)
            text.push("#" + h.event + "  " + seconds(data.events[h.event][EVENT.at]) + "  " +
                (data.events[h.event][EVENT.sentence] || textOf(h.event)));
        if (h) h.spans.forEach(function (s) {
            text.push(s[SPAN.name] + ", " + ((s[SPAN.to] - s[SPAN.from]) / 1e6).toFixed(3) + " s");
        });
        tip.hidden = !text.length;
        tip.textContent = text.join("\n");
        tip.style.whiteSpace = "pre-wrap";
        tip.style.left = Math.min(clientX + 14, window.innerWidth - 320) + "px";
        tip.style.top = (clientY + 18) + "px";
    }

    var fingers = {}, dragged = 0;
    canvas.addEventListener("pointerdown", function (e) {
        fingers[e.pointerId] = [e.offsetX, e.offsetY];
        dragged = 0;
        canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", function (e) {
        var was = fingers[e.pointerId], ids = Object.keys(fingers);
        if (!was) { showTip(e.offsetX, e.offsetY, e.clientX, e.clientY); return; }
        tip.hidden = true;
        var dx = e.offsetX - was[0], dy = e.offsetY - was[1];
        dragged += Math.abs(dx) + Math.abs(dy);
        if (ids.length === 2) {
            var other = fingers[ids.find(function (id) { return id !== String(e.pointerId); })];
            var before = Math.abs(was[0] - other[0]), now = Math.abs(e.offsetX - other[0]);
            if (before > 10 && now > 10) zoom(before / now, (e.offsetX + other[0]) / 2);
        } else {
            pan(-dx / Math.max(width(), 1));
            box.scrollTop -= dy;
            measure();
        }
        fingers[e.pointerId] = [e.offsetX, e.offsetY];
    });
    function lift(e) { delete fingers[e.pointerId]; }
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerup", function (e) {
        lift(e);
        if (dragged > 5) return;
        var h = hit(e.offsetX, e.offsetY);
        if (!h) return;
        if (h.event >= 0) choose(h.event, false);
        else if (h.spans.length) choose(h.spans[h.spans.length - 1][SPAN.began], false);
    });
    canvas.addEventListener("pointerleave", function () { tip.hidden = true; });
    canvas.addEventListener("wheel", function (e) {
        if (e.ctrlKey || e.metaKey) {
            e.preventDefault();
            zoom(Math.exp(e.deltaY * 0.004), e.offsetX);
        } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
            e.preventDefault();
            pan((e.deltaX || e.deltaY) / Math.max(width(), 1));
        }
    }, { passive: false });

    var actions = {
        "in": function () { zoom(0.6); },
        out: function () { zoom(1 / 0.6); },
        fit: function () { setView(-end * 0.01, end * 1.01); },
        witness: nextWitness
    };
    var keys = {
        ArrowLeft: function (e) { stepBy(-1, e.shiftKey); },
        ArrowRight: function (e) { stepBy(1, e.shiftKey); },
        ArrowUp: function () { stepLane(-1); },
        ArrowDown: function () { stepLane(1); },
        "+": actions["in"], "=": actions["in"], "-": actions.out, "0": actions.fit,
        a: function () { pan(-0.25); }, d: function () { pan(0.25); },
        c: function () {
            if (view.chosen >= 0) choose(data.events[view.chosen][EVENT.cause], true);
        },
        v: nextWitness,
        Home: function () { choose(0, true); },
        End: function () { choose(data.events.length - 1, true); },
        "/": function () { document.getElementById("find").focus(); }
    };
    canvas.addEventListener("keydown", function (e) {
        var key = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
        if (!key || e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        key(e);
    });
    document.querySelector(".bar").addEventListener("submit", function (e) {
        e.preventDefault();
        find(document.getElementById("find").value);
    });
    document.querySelectorAll("[data-do]").forEach(function (button) {
        button.addEventListener("click", actions[button.dataset.do]);
        if (button.dataset.do === "witness" && !witnesses.length) button.disabled = true;
    });
    document.querySelectorAll("a.obs").forEach(function (a) {
        a.addEventListener("click", function (e) {
            e.preventDefault();
            choose(Number(a.textContent.slice(1)), true);
            canvas.focus();
        });
    });
    ["requests", "idle"].forEach(function (id) {
        document.getElementById(id).addEventListener("change", function () { layOut(); redraw(); });
    });
    box.addEventListener("scroll", redraw);
    window.addEventListener("resize", function () { fitNames(); redraw(); });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
        readColours();
        legend();
        redraw();
    });

    function fitNames() {
        view.names = canvas.clientWidth < 600 ? 92 : NAMES;
        measure();
    }

    function legend() {
        var list = document.getElementById("legend");
        list.textContent = "";
        data.states.forEach(function (state, i) {
            var item = element("li", "", list);
            item.title = state[1];
            element("i", "", item).style.background = fillOf([0, i, 0, 0, 0, 0, 1, ""]);
            item.appendChild(document.createTextNode(state[0]));
        });
    }

    // ---- begin ------------------------------------------------------------------------------
    document.querySelector(".app").hidden = false;
    readColours();
    layOut();
    fitNames();
    legend();
    setView(-end * 0.01, end * 1.01);
    draw();
    if (witnesses.length) choose(witnesses[witnesses.length - 1], false);
    else element("p", "Choose an observation: click, or use the arrow keys on the lanes.",
        document.getElementById("detail"), "says");
    window.timeline = { view: view, data: data, choose: choose, draw: draw }; // for tests
})();
