// DOMException.
probe("constructor", () => {
    const plain = new DOMException();
    log(plain.name, plain.message, plain.code, String(plain));
    const abort = new DOMException("stop", "AbortError");
    log(abort.name, abort.message, abort.code, String(abort));
    log(new DOMException("x", "NoSuchName").code, new DOMException("x", "ConstraintError").code);
    log(new DOMException(undefined, undefined).name, new DOMException(null).message);
    log(DOMException.length, DOMException.name, typeof abort.stack);
    thrown(() => new DOMException(Symbol()).name.length && 1);
});
probe("shape", () => {
    const e = new DOMException("m", "DataCloneError");
    log(e instanceof Error, e instanceof DOMException, Object.prototype.toString.call(e));
    log(Object.getPrototypeOf(DOMException.prototype) === Error.prototype);
    log(Object.getPrototypeOf(DOMException) === Function.prototype);
    log(Object.keys(e), Object.keys(DOMException.prototype).sort());
    log(Object.getOwnPropertyNames(DOMException).filter((n) => n.endsWith("_ERR")).length);
    log(Object.getOwnPropertyDescriptor(DOMException, "ABORT_ERR"));
    log(Object.getOwnPropertyDescriptor(DOMException.prototype, "constructor").enumerable);
    log(Object.getOwnPropertyDescriptor(globalThis, "DOMException").enumerable);
    log(typeof Object.getOwnPropertyDescriptor(DOMException.prototype, "name").get);
    thrown(() => DOMException.prototype.name);
    thrown(() => Object.getOwnPropertyDescriptor(DOMException.prototype, "code").get.call({}));
});
probe("codes", () => {
    for (const name of ["IndexSizeError", "NotFoundError", "NotSupportedError", "SyntaxError",
        "InvalidStateError", "InvalidAccessError", "SecurityError", "NetworkError", "AbortError",
        "QuotaExceededError", "TimeoutError", "DataCloneError", "NotAllowedError",
        "ReadOnlyError", "TransactionInactiveError", "VersionError", "DataError"])
        log(name, new DOMException("", name).code);
    log(DOMException.INDEX_SIZE_ERR, DOMException.VALIDATION_ERR, DOMException.DATA_CLONE_ERR);
});
