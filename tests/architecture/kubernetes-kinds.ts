/**
 * The types of the Kubernetes resources in `infra/deploy/k8s`, by `apiVersion` and `kind`. They belong to Kubernetes
 * 1.30, the oldest supported version. `k8s-schemas.test.ts` checks the manifests against them.
 */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts';
import type { CronJob, Job } from 'kubernetes-types/batch/v1.d.ts';
import type { ConfigMap, Namespace, PersistentVolumeClaim, Secret, Service } from 'kubernetes-types/core/v1.d.ts';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.d.ts';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';

/** The part of the resource of the Prometheus operator that is used here. */
interface PrometheusRule {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'PrometheusRule';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly groups: readonly {
      readonly name: string;
      readonly rules: readonly {
        readonly alert: string;
        readonly expr: string;
        readonly for?: string;
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations: Readonly<Record<string, string>>;
      }[];
    }[];
  };
}

/** The part of the resource of the Prometheus operator that is used here. */
interface PodMonitor {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'PodMonitor';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly jobLabel: string;
    readonly selector: {
      readonly matchLabels: Readonly<Record<string, string>>;
      readonly matchExpressions: readonly {
        readonly key: string;
        readonly operator: 'In';
        readonly values: readonly string[];
      }[];
    };
    readonly podMetricsEndpoints: readonly {
      readonly port: string;
      readonly path: string;
      readonly interval: string;
      readonly authorization: {
        readonly type: 'Bearer';
        readonly credentials: { readonly name: string; readonly key: string };
      };
      readonly relabelings: readonly { readonly sourceLabels: readonly string[]; readonly targetLabel: string }[];
    }[];
  };
}

export interface Kinds {
  readonly 'apps/v1 Deployment': Deployment;
  readonly 'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler;
  readonly 'batch/v1 CronJob': CronJob;
  readonly 'batch/v1 Job': Job;
  readonly 'monitoring.coreos.com/v1 PodMonitor': PodMonitor;
  readonly 'monitoring.coreos.com/v1 PrometheusRule': PrometheusRule;
  readonly 'networking.k8s.io/v1 Ingress': Ingress;
  readonly 'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy;
  readonly 'policy/v1 PodDisruptionBudget': PodDisruptionBudget;
  readonly 'v1 ConfigMap': ConfigMap;
  readonly 'v1 Namespace': Namespace;
  readonly 'v1 PersistentVolumeClaim': PersistentVolumeClaim;
  readonly 'v1 Secret': Secret;
  readonly 'v1 Service': Service;
}
