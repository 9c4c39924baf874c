// Program is a small program with one module of others in it.
package main

import "github.com/Masterminds/semver/v3"

func main() { println(semver.MustParse("1.2.3").String()) }
