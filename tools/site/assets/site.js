// The front page: the picture plays again when asked to.
"use strict";
const again = document.getElementById("again");
const packing = document.querySelector("svg.packing");
if (again && packing && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
  again.hidden = false;
  again.addEventListener("click", () => {
    packing.classList.add("still");
    packing.getBoundingClientRect(); // the styles are computed without the animation
    packing.classList.remove("still");
  });
}
// Tables and blocks of code that are wider than the page scroll: by the keyboard, too.
const reach = () => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
