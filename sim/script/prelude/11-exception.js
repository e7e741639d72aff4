// DOMException (Web IDL 2.8.1): names and legacy codes. As in Chromium, one that a script makes
// has no property `stack`; the host asks page.stackOf().
(function (page) {
    "use strict";

    const { object } = page.primordials;
    const { isObject, illegalInvocation, text, constants, exposeInterface, constructing } =
        page.idl;
    const { Error } = page.global;

    // Name of the error, name of its constant, in the order of the codes from 1; a name of null
    // is a code that no error has any more.
    const codes = [
        ["IndexSizeError", "INDEX_SIZE_ERR"],
        [null, "DOMSTRING_SIZE_ERR"],
        ["HierarchyRequestError", "HIERARCHY_REQUEST_ERR"],
        ["WrongDocumentError", "WRONG_DOCUMENT_ERR"],
        ["InvalidCharacterError", "INVALID_CHARACTER_ERR"],
        [null, "NO_DATA_ALLOWED_ERR"],
        ["NoModificationAllowedError", "NO_MODIFICATION_ALLOWED_ERR"],
        ["NotFoundError", "NOT_FOUND_ERR"],
        ["NotSupportedError", "NOT_SUPPORTED_ERR"],
        ["InUseAttributeError", "INUSE_ATTRIBUTE_ERR"],
        ["InvalidStateError", "INVALID_STATE_ERR"],
        ["SyntaxError", "SYNTAX_ERR"],
        ["InvalidModificationError", "INVALID_MODIFICATION_ERR"],
        ["NamespaceError", "NAMESPACE_ERR"],
        ["InvalidAccessError", "INVALID_ACCESS_ERR"],
        [null, "VALIDATION_ERR"],
        ["TypeMismatchError", "TYPE_MISMATCH_ERR"],
        ["SecurityError", "SECURITY_ERR"],
        ["NetworkError", "NETWORK_ERR"],
        ["AbortError", "ABORT_ERR"],
        ["URLMismatchError", "URL_MISMATCH_ERR"],
        ["QuotaExceededError", "QUOTA_EXCEEDED_ERR"],
        ["TimeoutError", "TIMEOUT_ERR"],
        ["InvalidNodeTypeError", "INVALID_NODE_TYPE_ERR"],
        ["DataCloneError", "DATA_CLONE_ERR"],
    ];
    const codeOf = object.create(null);
    const named = object.create(null);
    for (let i = 0; i < codes.length; i++) {
        if (codes[i][0]) codeOf[codes[i][0]] = i + 1;
        named[codes[i][1]] = i + 1;
    }

    let isException;

    class DOMException {
        #message;
        #name;
        #stack;

        constructor(message = "", name = "Error") {
            const where = constructing("DOMException");
            this.#message = text(message, where);
            this.#name = text(name, where);
            this.#stack = new Error().stack;
        }

        static {
            isException = (value) => isObject(value) && #name in value;
            page.stackOf = (exception) => exception.#stack;
        }

        get code() {
            if (!isException(this)) illegalInvocation();
            return codeOf[this.#name] ?? 0;
        }

        get name() {
            if (!isException(this)) illegalInvocation();
            return this.#name;
        }

        get message() {
            if (!isException(this)) illegalInvocation();
            return this.#message;
        }
    }
    object.setPrototypeOf(DOMException.prototype, Error.prototype);
    constants(DOMException, named);
    exposeInterface(DOMException);

    page.DOMException = DOMException;
    page.isDOMException = isException;
})
