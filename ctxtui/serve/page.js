// Keys go to the app at once, without a click.
new MutationObserver((_, observer) => {
  const keys = document.querySelector("textarea.xterm-helper-textarea");
  if (keys !== null) {
    observer.disconnect();
    keys.focus();
  }
}).observe(document, { childList: true, subtree: true });
