// The fragment of the address is the key of this page: no request carries it, so that no other server learns it.
if (location.hash.length > 1) {
  sessionStorage.setItem("key", location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
const key = sessionStorage.getItem("key");
document.documentElement.classList.toggle("-keyless", key === null);
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address, ["ctxtui", key ?? "none"]);
  }
};

// Keys go to the app at once, without a click.
new MutationObserver((_, observer) => {
  const keys = document.querySelector("textarea.xterm-helper-textarea");
  if (keys !== null) {
    observer.disconnect();
    keys.focus();
  }
}).observe(document, { childList: true, subtree: true });
