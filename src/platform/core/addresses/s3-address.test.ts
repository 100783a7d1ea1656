import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readS3Address, readS3Encryption } from './s3-address.ts'

test('a bucket with a prefix, an endpoint, a region and a style', () => {
  const amazon = { endpoint: undefined, region: undefined, isPathStyle: false }
  const own = { endpoint: 'https://s3.example.com', region: 'us-east-1', isPathStyle: true }
  const read: [text: string, address: object][] = [
    ['s3://my-bucket', { bucket: 'my-bucket', prefix: '', ...amazon }],
    ['s3://my-bucket/', { bucket: 'my-bucket', prefix: '', ...amazon }],
    ['s3://b.u_C3/a/b-c/', { bucket: 'b.u_C3', prefix: 'a/b-c/', ...amazon }],
    [
      's3://bucket/files?region=eu-west-1',
      { bucket: 'bucket', prefix: 'files/', ...amazon, region: 'eu-west-1' },
    ],
    ['s3://bucket?endpoint=https://s3.example.com', { bucket: 'bucket', prefix: '', ...own }],
    [
      's3://bucket?endpoint=https%3A%2F%2Fs3.example.com/&region=eu&path-style=false',
      { bucket: 'bucket', prefix: '', ...own, region: 'eu', isPathStyle: false },
    ],
    [
      's3://bucket?endpoint=http://127.0.0.1:9000',
      { bucket: 'bucket', prefix: '', ...own, endpoint: 'http://127.0.0.1:9000' },
    ],
  ]
  for (const [text, address] of read) assert.deepEqual(readS3Address(text), address, text)
})

test('anything else is rejected with the expected form', () => {
  const refused: [text: string, expected: RegExp][] = [
    ['bucket', /such as s3:/],
    ['https://bucket', /such as s3:/],
    ['s3://', /must name a bucket/],
    ['s3://ab', /must name a bucket/],
    ['s3://bucket:9000', /must name a bucket/],
    ['s3://key:secret@bucket', /must hold no credentials/],
    ['s3://key@bucket', /must hold no credentials/],
    ['s3://bucket//a', /must have a prefix/],
    ['s3://bucket/a//b', /must have a prefix/],
    ['s3://bucket/a%20b', /must have a prefix/],
    ['s3://bucket?region=eu&region=us', /each at most once/],
    ['s3://bucket?Region=eu', /takes only the parameters/],
    ['s3://bucket#here', /takes only the parameters/],
    ['s3://bucket?endpoint=s3.example.com', /must have an endpoint/],
    ['s3://bucket?endpoint=https://u:p@s3.example.com', /must have an endpoint/],
    ['s3://bucket?endpoint=https://s3.example.com/path', /must have an endpoint/],
    ['s3://bucket?region=', /must have a region/],
    ['s3://bucket?path-style=yes', /path-style=true or/],
  ]
  for (const [text, expected] of refused) assert.throws(() => readS3Address(text), expected, text)
})

test('encryption with the keys of the store, of KMS, or of one key of it', () => {
  assert.equal(readS3Encryption('none'), undefined)
  assert.deepEqual(readS3Encryption('AES256'), { kind: 'AES256' })
  assert.deepEqual(readS3Encryption('aws:kms'), { kind: 'aws:kms', keyId: undefined })
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab'
  assert.deepEqual(readS3Encryption(`aws:kms:${arn}`), { kind: 'aws:kms', keyId: arn })
  for (const text of ['', 'aes256', 'aws:kms:', 'aws:kms: ', 'AWS:KMS', 'aws:kmsx']) {
    assert.throws(() => readS3Encryption(text), /must be none, AES256/)
  }
})
