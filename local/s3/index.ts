import type { ModelContext, Service } from '../service.ts';
import { bucketActions } from './buckets.ts';
import { listActions } from './list.ts';
import { multipartActions } from './multipart.ts';
import { objectActions } from './objects.ts';
import { settingActions } from './settings.ts';
import { createBuckets, type S3Limits } from './store.ts';

export type { S3Limits } from './store.ts';

/** S3: buckets with their settings, objects and versions, uploads in parts. */
export interface S3Model extends Service {
  readonly id: 's3';
  /** The bytes of an object; `undefined` when there is none. Not to be changed. */
  object(bucket: string, key: string, versionId?: string): Buffer | undefined;
}

/**
 * S3 in memory, as far as assets of deployments and ordinary apps need it: at most 256 MiB an
 * object and 1 GiB in all, unless `limits` says otherwise.
 * Settings such as policies, encryption and lifecycle rules are kept and shown, and have no effect. Access control
 * lists, notifications, replication, object lock and websites are not modelled.
 *
 * @example
 * ```ts
 * const s3 = createS3(context);
 * s3.operations.CreateBucket({ Bucket: 'assets' }, {});
 * s3.object('assets', 'code.zip'); // undefined
 * ```
 */
export function createS3(
  context: Pick<ModelContext, 'clock' | 'random' | 'region' | 'account'>,
  limits?: S3Limits,
): S3Model {
  const store = createBuckets(context, limits);
  return {
    id: 's3',
    operations: {
      ...bucketActions(context, store),
      ...settingActions(store),
      ...objectActions(store),
      ...listActions(store),
      ...multipartActions(context, store),
    },
    object(bucket, key, versionId) {
      const versions = store.buckets.get(bucket)?.objects.get(key) ?? [];
      const found = versionId === undefined ? versions[0] : versions.find(({ id }) => id === versionId);
      return found === undefined || found.isMarker ? undefined : found.body;
    },
  };
}
