import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3CallReport } from '../../src/platform/blobs/s3/calls.ts'
import { createS3Blobs, type S3BlobOptions, type S3Blobs } from '../../src/platform/blobs/s3/s3.ts'
import { readS3Address, readS3Encryption } from '../../src/platform/core/addresses/s3-address.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { type StoreUnderTest, storedAt } from './blob-store-contract.ts'
import { type Bucket, createBucket } from './s3.ts'
import { type S3FaultProxy, startS3FaultProxy } from './s3-fault-proxy.ts'

export interface S3UnderTest extends StoreUnderTest {
  blobs: S3Blobs
  bucket: Bucket
  proxy: S3FaultProxy
  /** Every call, as `GetObject ok`. */
  reports: string[]
  /** Another store on the same bucket. */
  open(change: Partial<S3BlobOptions>): S3Blobs
  remove(): Promise<void>
}

/**
 * Faults that a test injects are not worth a pause. The timeouts are as always: a busy machine must not look like a
 * broken one.
 */
export const quick = { ...defaultLimits, blobAttempts: 3, blobFirstPauseMs: 5 }

/** A store in a bucket of its own, behind a proxy that can break every call. */
export async function setUpS3(): Promise<S3UnderTest> {
  const bucket = await createBucket()
  const proxy = await startS3FaultProxy(process.env['TEST_S3_ENDPOINT'] as string)
  const spoolFolder = await mkdtemp(join(tmpdir(), 'dossier-spool-'))
  const reports: string[] = []
  const open = (change: Partial<S3BlobOptions>) =>
    createS3Blobs({
      address: readS3Address(bucket.settings(proxy.endpoint)['BLOBS_URL'] as string),
      encryption: readS3Encryption('none'),
      spoolFolder,
      clock: () => storedAt,
      limits: quick,
      onCall: ({ operation, outcome }: S3CallReport) => void reports.push(`${operation} ${outcome}`),
      ...change,
    })
  const blobs = open({})
  return {
    blobs,
    bucket,
    stored: bucket,
    proxy,
    reports,
    open,
    async assertNothingElse(names) {
      assert.deepEqual(await bucket.names(), names)
      assert.equal(await bucket.uploads(), 0, 'uploads in parts are left')
      assert.deepEqual(await readdir(spoolFolder), [])
    },
    async remove() {
      blobs.close()
      await proxy.close()
      await bucket.removeAll()
      await rm(spoolFolder, { recursive: true })
    },
  }
}
