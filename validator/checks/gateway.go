package checks

import (
	"context"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/mode"
)

const parentsPath = routePath + ".parentRefs"

func checkRoute(_ context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Gateway)
	if !ok {
		return other
	}
	list := d.checkHosts(routePath+".hostnames", routePath+".protocol", "MOD601")
	parents := d.Values.List(parentsPath)
	if len(parents) == 0 {
		list = append(list, findings.New("MOD602", d.place(parentsPath)))
	}
	for i := range parents {
		if at := parentsPath + index(i); d.Values.String(at+".name", "") == "" {
			list = append(list, findings.New("MOD602", d.place(at)))
		}
	}
	return found(list...)
}

func checkGateways(ctx context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Gateway)
	switch {
	case !ok:
		return other
	case d.Cluster == nil:
		return lacks(needsCluster)
	}
	known, err := d.Cluster.KnowsGateways(ctx)
	switch {
	case err != nil:
		return found(unknown("MOD700", d.place(routePath), "Whether the cluster knows the Gateway API", missing(err)))
	case !known:
		return found(findings.New("MOD702", d.place(routePath+".enabled")))
	}
	var list []findings.Finding
	for i := range d.Values.List(parentsPath) {
		at := parentsPath + index(i)
		if kind := d.Values.String(at+".kind", "Gateway"); kind != "Gateway" {
			continue
		}
		name, namespace := d.Values.String(at+".name", ""), d.Values.String(at+".namespace", d.Namespace)
		err := d.Cluster.Gateway(ctx, namespace, name)
		switch {
		case cluster.NotFound(err):
			list = append(list, findings.New("MOD701", d.place(at+".name"), name, namespace))
		case err != nil:
			list = append(list, unknown("MOD700", d.place(at+".name"), "Whether the Gateway "+name+" exists", missing(err)))
		}
	}
	return found(list...)
}
