// Keeps the files of the playground, so that it opens without a network. Its name changes with
// the files: VERSION is put in when the page is built.
"use strict";
const name = "dcopt-playground-VERSION";
const files = ["./", FILES];

addEventListener("install", (e) => e.waitUntil(caches.open(name).then((c) => c.addAll(files)).then(() => skipWaiting())));

addEventListener("activate", (e) => e.waitUntil((async () => {
  for (const key of await caches.keys()) if (key.startsWith("dcopt-playground-") && key !== name) await caches.delete(key);
  await clients.claim();
})()));

addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== "GET" || url.origin !== location.origin) return;
  url.hash = url.search = "";
  // Servers may answer index.html by another address, and browsers refuse such an answer from here.
  url.pathname = url.pathname.replace(/\/index\.html$/, "/");
  e.respondWith((async () => (await (await caches.open(name)).match(url.href)) || fetch(e.request))());
});
