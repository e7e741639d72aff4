// report.html works without this; it adds buttons that copy the commands, and opens what is
// folded before printing.
(function () {
    "use strict";

    function addCopy(pre) {
        var button = document.createElement("button");
        button.type = "button";
        button.className = "copy";
        button.textContent = "Copy";
        button.addEventListener("click", function () {
            navigator.clipboard.writeText(pre.textContent).then(
                function () { button.textContent = "Copied"; },
                function () { button.textContent = "Select the line and copy it"; });
        });
        pre.insertAdjacentElement("afterend", button);
    }

    if (navigator.clipboard) document.querySelectorAll("pre.command").forEach(addCopy);
    window.addEventListener("beforeprint", function () {
        document.querySelectorAll("details").forEach(function (d) { d.open = true; });
    });
})();
