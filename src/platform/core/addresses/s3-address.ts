/** The location of blobs in an S3-compatible store. */
export interface S3Address {
  bucket: string
  /** Prefix of every name; empty, or ending with a slash. */
  prefix: string
  /** Undefined: Amazon's endpoint for the region. */
  endpoint: string | undefined
  /** Undefined: determined by the SDK from its environment or profile. */
  region: string | undefined
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  isPathStyle: boolean
  /** The setting named in messages, unless it is BLOBS_URL. */
  setting?: string
}

const parameters = ['endpoint', 'region', 'path-style']

/**
 * Parses `s3://bucket/prefix?endpoint=...&region=...&path-style=true`; throws an Error that states the expected form.
 */
export function readS3Address(text: string): S3Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:') throw new Error('must be a URL such as s3://bucket/prefix?region=eu-central-1')
  // Settings are printed, logged and passed around too freely to contain secrets.
  if (url.username !== '' || url.password !== '') {
    throw new Error('must hold no credentials: the AWS SDK finds them, for instance in AWS_ACCESS_KEY_ID')
  }
  const query = [...url.searchParams.keys()]
  const odd = query.find((name, index) => !parameters.includes(name) || query.indexOf(name) !== index)
  if (odd !== undefined || url.hash !== '') {
    throw new Error(`takes only the parameters ${parameters.join(', ')}, each at most once`)
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined
  return {
    bucket: bucketOf(url),
    prefix: prefixOf(url),
    endpoint: endpoint === undefined ? undefined : originOf(endpoint),
    region: regionOf(url) ?? (endpoint === undefined ? undefined : 'us-east-1'),
    isPathStyle: isPathStyle(url) ?? endpoint !== undefined,
  }
}

function bucketOf({ host }: URL): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/.test(host)) {
    throw new Error('must name a bucket of 3 to 63 letters, digits, dots or hyphens after s3://')
  }
  return host
}

function prefixOf({ pathname }: URL): string {
  const parts = pathname
    .split('/')
    .filter((part, index, all) => part !== '' || (index > 0 && index < all.length - 1))
  if (!parts.every(part => /^[\w.-]+$/.test(part))) {
    throw new Error(
      'must have a prefix of letters, digits, dots, hyphens and underscores between its slashes',
    )
  }
  return parts.map(part => `${part}/`).join('')
}

function originOf(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin) throw new Error('must have an endpoint such as https://s3.example.com, without a path')
  return url.origin
}

function regionOf(url: URL): string | undefined {
  const region = url.searchParams.get('region') ?? undefined
  if (region === undefined || /^[a-z0-9-]+$/.test(region)) return region
  throw new Error('must have a region such as eu-central-1')
}

function isPathStyle(url: URL): boolean | undefined {
  const text = url.searchParams.get('path-style')
  if (text === null) return undefined
  if (text !== 'true' && text !== 'false') throw new Error('must have path-style=true or path-style=false')
  return text === 'true'
}

/** How the store encrypts its objects; undefined leaves this to the bucket. */
export type S3Encryption = { kind: 'AES256' } | { kind: 'aws:kms'; keyId: string | undefined }

/** Parses `none`, `AES256`, `aws:kms` and `aws:kms:<key>`; throws an Error that states the expected form. */
export function readS3Encryption(text: string): S3Encryption | undefined {
  if (text === 'none') return undefined
  if (text === 'AES256') return { kind: 'AES256' }
  const [, key] = /^aws:kms(?::([\w/:-]+))?$/.exec(text) ?? ['', '']
  if (key === '') throw new Error('must be none, AES256, aws:kms or aws:kms: followed by the ID of a key')
  return { kind: 'aws:kms', keyId: key }
}
