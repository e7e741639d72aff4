#!/usr/bin/env python3
"""A server lease ledger that speaks tabquake.ledger.v1 on standard input and output.

One JSON object a line in, one out. Time is the `now` of each message (microseconds of the
ledger's own clock); the ledger never looks at another. What is answered is durable: here the
record is an object in memory that a `restart` keeps, in your server it is a row and a commit.
"""
import json
import sys

QUEUED, TAKEN, ACKED, DONE = "queued", "taken", "acked", "done"


class Refusal(Exception):
    """The answer is no. `more` goes into it beside the result."""

    def __init__(self, result, **more):
        super().__init__(result)
        self.answer = {"result": result, **more}


class Ledger:
    def __init__(self, boot):
        self.ttl = boot["ttl"]
        self.permit_ttl = boot["permitTtl"]
        self.permit_grace = boot["permitGrace"]
        self.fence = [boot["incarnation"], 1, 0]  # incarnation, epoch, generation
        self.held = self.expired = self.closed = False
        self.server_holds = False
        self.partition = None
        self.protocol = 0
        self.lease_end = 0
        self.sequence = self.sequence_at_claim = 0
        self.claims = {}  # claim id: the fence that it was given
        self.tasks = {}  # op: {state, owner, unreconciled, protocol}
        self.cursor = 0
        self.permits = 0
        self.permit = None  # the last one: {tab, until}
        self.no_permit_before = 0

    # -- what happens to it --------------------------------------------------------------

    def restart(self, now):
        """The record survives. The old owner may renew before anybody gets a permit."""
        self.no_permit_before = now + self.permit_grace

    def advance_epoch(self, _now):
        """An incident: the server takes over under a new epoch, client claims are closed."""
        self.fence[1] += 1
        self.closed = True
        self.server_holds = True
        self.next_generation()

    def reopen(self, _now):
        self.closed = False

    def expire(self, now):
        """Final: made before anything else looks at the record."""
        if self.held and not self.server_holds and now >= self.lease_end:
            self.held = False
            self.expired = True

    # -- rules ---------------------------------------------------------------------------

    def next_generation(self):
        self.fence[2] += 1
        self.held, self.expired = True, False
        self.sequence_at_claim = self.sequence
        for task in self.tasks.values():  # each gets its new owner in the same write
            if task["state"] in (TAKEN, ACKED):
                task["owner"] = list(self.fence)
                task["unreconciled"] = task["state"] == TAKEN

    def led_by_page(self):
        return self.held and not self.server_holds

    def check_fence(self, r):
        if self.closed:
            raise Refusal("EPOCH_CLOSED")
        if not self.held or r.get("fence") != self.fence:
            raise Refusal("FENCED", fence=self.fence)
        if r["protocol"] < self.protocol:
            raise Refusal("PROTOCOL_TOO_OLD")

    def begun(self, r):
        """The task of r, which its sender has taken, or None when it is done already."""
        self.check_fence(r)
        task = self.tasks.get(r.get("op", 0))
        if task and task["state"] == DONE:
            return None
        if not task or task["state"] == QUEUED or task["owner"] != self.fence:
            raise Refusal("REFUSED")
        return task

    def lease_left(self, fence, now):
        return self.lease_end - now if self.led_by_page() and fence == self.fence else 0

    # -- requests ------------------------------------------------------------------------

    def claim_answer(self, fence, now):
        left = [op for op, task in sorted(self.tasks.items()) if task["owner"] == fence
                and (task["state"] == ACKED or task["state"] == TAKEN and task["unreconciled"])]
        return {"fence": fence, "wait": self.lease_left(fence, now), "unreconciled": left[:8]}

    def claim(self, r, now):
        known = self.claims.get(r["claim"])
        if known:
            return self.claim_answer(known, now)
        if self.closed:
            raise Refusal("EPOCH_CLOSED")
        if r["protocol"] < self.protocol:
            raise Refusal("PROTOCOL_TOO_OLD")
        if self.led_by_page() and self.partition != r["partition"]:
            raise Refusal("WAIT", wait=self.lease_end - now)
        self.server_holds = False
        self.next_generation()
        self.partition = r["partition"]
        self.protocol = r["protocol"]
        self.lease_end = now + self.ttl
        self.permit = None
        self.claims[r["claim"]] = list(self.fence)
        return self.claim_answer(list(self.fence), now)

    def renew(self, r, now):
        self.check_fence(r)
        if self.sequence != self.sequence_at_claim and r["acked"] != self.sequence:
            raise Refusal("NOT_EXTENDED", sequence=self.sequence, wait=self.lease_end - now)
        self.sequence += 1
        self.lease_end = now + self.ttl
        return {"sequence": self.sequence, "wait": self.ttl}

    def release(self, r, _now):
        if not self.held and not self.expired and self.fence[2] and r.get("fence") == self.fence:
            return {}  # released before
        self.check_fence(r)
        self.held = False
        return {}

    def submit(self, r, _now):
        op = r.get("op", 0)
        if op < 1:
            raise Refusal("REFUSED")
        self.tasks.setdefault(op, {"state": QUEUED, "owner": None, "unreconciled": False,
                                   "protocol": r["protocol"]})
        return {}

    def take(self, r, _now):
        self.check_fence(r)
        tasks = sorted(self.tasks.items())
        for op, task in tasks:
            if task["state"] in (TAKEN, ACKED) and task["owner"] == self.fence:
                return {"op": op, "unreconciled": [op]}  # taken before, its answer was lost
        queued = [(op, task) for op, task in tasks if task["state"] == QUEUED]
        for op, task in queued:
            if task["protocol"] <= r["protocol"]:
                task["state"] = TAKEN
                task["owner"] = list(self.fence)
                return {"op": op}
        raise Refusal("PROTOCOL_TOO_OLD" if queued else "EMPTY")

    def ack(self, r, _now):
        task = self.begun(r)
        if task:
            task["state"] = ACKED
        return {}

    def commit(self, r, _now):
        task = self.begun(r)
        if not task:
            return {}
        if not r["parts"] or "delete" in r["parts"] and task["state"] != ACKED:
            raise Refusal("REFUSED")
        if "cursor" in r["parts"]:
            self.cursor = r["op"]
        if "delete" in r["parts"]:
            task["state"] = DONE
        return {}

    def reconcile(self, r, _now):
        task = self.begun(r)
        if task and task["state"] == TAKEN:
            if r["outcome"] == "done":
                task["state"] = ACKED
            if r["outcome"] == "never-seen":
                task["unreconciled"] = False
        return {}

    def permit_request(self, r, now):
        """A permit to steal the lock: only when a lease ran out unreleased, one at a time."""
        if self.closed:
            raise Refusal("EPOCH_CLOSED")
        outstanding = self.permit and now < self.permit["until"]
        if outstanding and self.permit["tab"] == r["tab"]:
            return {"permit": self.permits}
        wait = max(0, self.no_permit_before - now)
        if outstanding:
            wait = max(wait, self.permit["until"] - now)
        if self.led_by_page():
            wait = max(wait, self.lease_end - now)
        if wait or not self.expired:
            raise Refusal("REFUSED", wait=wait)
        self.permits += 1
        self.permit = {"tab": r["tab"], "until": now + self.permit_ttl}
        return {"permit": self.permits}

    def handle(self, r):
        operation = {"claim": self.claim, "renew": self.renew, "release": self.release,
                     "submit": self.submit, "take": self.take, "ack": self.ack,
                     "commit": self.commit, "reconcile": self.reconcile,
                     "permit": self.permit_request}[r["kind"]]
        self.expire(r["now"])
        try:
            return {"id": r["id"], "result": "OK", **operation(r, r["now"])}
        except Refusal as no:
            return {"id": r["id"], **no.answer}


def main():
    ledger = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "boot":
            if message["version"] != "tabquake.ledger.v1":
                sys.exit(f"found {message['version']}, accepted tabquake.ledger.v1")
            ledger = Ledger(message)
            answer = {"ok": True}
        elif message["do"] == "request":
            answer = ledger.handle(message)
        else:
            ledger.expire(message["now"])
            event = {"restart": ledger.restart, "advance-epoch": ledger.advance_epoch,
                     "reopen": ledger.reopen}[message["do"]]
            event(message["now"])
            answer = {"ok": True}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
