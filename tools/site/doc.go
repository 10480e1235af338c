// Package site builds the site of the documentation: docs/, the READMEs and front.md are its
// source, cmd/pages makes the pages that are generated and puts all of them into one
// folder with a configuration, and Zensical, a generator from PyPI that build.sh installs
// below build/, makes HTML of it. The tests of this package hold the pages, their links,
// their blocks of code and the built site, the latter in a browser.
package site
