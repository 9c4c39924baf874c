// Package solve determines which values produce which images, and which new values redirect the images.
//
// It works by experiment, not by the names of values. A worked example, with the registry r.corp:
//
//	values    registry: quay.io    app: {repository: team/app, tag: v1}    agent: team/agent:v2
//	template  image: "{{ .registry }}/{{ .app.repository }}:{{ .app.tag }}"
//	template  image: "{{ .registry }}/{{ .agent }}"
//
// 1. Candidates (candidates.go): every value that is a component of a rendered image gets a number: 0 registry, 1 app.repository, 2 app.tag, 3 agent.
//
// 2. Marks (mark.go, probe.go): each is wrapped in marks with its number, and the chart is rendered again. Without abbreviations the first image is
//
//	xq00000oquay.ioxq00000c/xq00001oteam/appxq00001c:xq00002ov1xq00002c
//
// which reads (0 quay.io)/(1 team/app):(2 v1), the second one (0 quay.io)/(3 team/agent:v2). If marks make a template fail or change its behavior,
// bisection isolates the values that cause this (isolate.go), or a switch of the chart that allows other images is found (guard.go).
//
// 3. Options (constraint.go, options.go): the target r.corp/quay.io/team/app:v1 ends in "/team/app:v1", so that "registry: r.corp/quay.io" is one way to
// it. "app.repository: ..." is none, since the target does not begin with "quay.io/". Where no single value does it, two or three change together.
//
// 4. Assignment (assign.go): all images that contain a value must agree on its new text. Here both need "registry: r.corp/quay.io", which is the
// solution. With targets that leave out quay.io, as r.corp/team/app:v1, it is "registry: r.corp". If another image needed registry as it is, the search
// would go on with options that change more values; an image without any is unreached, and the reason says why.
//
// 5. What is left (unset.go, guess.go): values that are null, empty or absent leave no mark; those that templates name are set to a marked text, each
// alone and all of one map. Values that a template changes before it prints them, as with trimPrefix, are set to the target, and a render decides.
//
// 6. Tags and digests are pinned to their current text (collect.go). Values that are in several scenarios get one text that fits all.
package solve
