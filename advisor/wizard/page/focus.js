// The keyboard works at once, without a click into the terminal. textual.js, loaded before, has made it by then.
window.addEventListener("load", () => document.querySelector(".xterm-helper-textarea")?.focus());
