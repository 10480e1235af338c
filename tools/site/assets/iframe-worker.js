// Browsers start no Worker from a page that was opened as a file. This one runs the
// script in a hidden frame instead, which serves for the search: messages arrive later,
// never within the call that sends them. Elsewhere it does nothing.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.document.write("<!doctype html><title>search</title>");
      inner.document.close();
      inner.postMessage = (data) => this.answer(data);
      const script = inner.document.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onload = () => {
        this.ready = true;
        for (const data of this.waiting.splice(0)) this.postMessage(data);
      };
      script.onerror = () => this.onerror && this.onerror(new Event("error"));
      inner.document.body.appendChild(script);
    }
    answer(data) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => {
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      });
    }
    postMessage(data) {
      if (!this.ready) {
        this.waiting.push(data);
        return;
      }
      const inner = this.frame.contentWindow;
      const event = new inner.MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => inner.onmessage && inner.onmessage(event));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
