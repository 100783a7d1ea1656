import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** CBOR of a byte string of 24 to 255 bytes. */
const bytes = (data: Buffer) => Buffer.concat([Buffer.from([0x58, data.length]), data])
const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])

/** What a browser or a device says differently from a right answer. */
export interface Lies {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  isVerified?: boolean
  isPresent?: boolean
  counter?: number
  userHandle?: string
  id?: string
}

/**
 * A device with one passkey, made of node:crypto alone: it signs what the options of a page ask for, and lies on
 * request.
 */
export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(32)
  // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
  const cose = Buffer.concat([
    Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
    bytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, 'base64url')),
  ])
  let count = 0
  let owner = ''

  function signedBy(rpId: string, lies: Lies, isNew: boolean): Buffer {
    const { isVerified = true, isPresent = true, counter = ++count } = lies
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (isNew ? 64 : 0)
    const head = Buffer.alloc(5)
    head[0] = flags
    head.writeUInt32BE(counter, 1)
    const length = Buffer.from([0, credentialId.length])
    const made = isNew ? [Buffer.alloc(16), length, credentialId, cose] : []
    return Buffer.concat([sha256(lies.rpId ?? rpId), head, ...made])
  }
  const clientData = (type: string, challenge: string, lies: Lies) =>
    JSON.stringify({
      type: lies.type ?? type,
      challenge: lies.challenge ?? challenge,
      origin: lies.origin ?? origin,
      crossOrigin: false,
    })
  function sent(lies: Lies, response: object): string {
    const id = lies.id ?? base64url(credentialId)
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }

  return {
    id: base64url(credentialId),

    /** Answers the options of the page that makes a passkey. */
    create(options: string, lies: Lies = {}): string {
      const { challenge, rp, user } = JSON.parse(options)
      owner = user.id
      const authData = signedBy(rp.id, lies, true)
      const attestation = [
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytes(authData),
      ]
      return sent(lies, {
        clientDataJSON: base64url(clientData('webauthn.create', challenge, lies)),
        attestationObject: base64url(Buffer.concat(attestation)),
        transports: ['internal', 'hybrid'],
      })
    },

    /** Answers the options of a page that asks for a signature. */
    get(options: string, lies: Lies = {}): string {
      const { challenge, rpId } = JSON.parse(options)
      const data = clientData('webauthn.get', challenge, lies)
      const authenticatorData = signedBy(rpId, lies, false)
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), privateKey)
      return sent(lies, {
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signature),
        userHandle: lies.userHandle ?? owner,
      })
    },
  }
}
