// Command pages writes the sources of the site, which build.sh gives to the generator:
//
//	pages [-playground] ROOT FOLDER
//
// ROOT is the repository, FOLDER is made. With -playground the navigation leads to it.
package main
