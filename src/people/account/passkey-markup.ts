import { assetsIn } from '../../platform/web/assets.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import type { PasskeyRequest, SentPasskey } from '../factors/passkey-service.ts'
import type { PasskeyRefusal } from '../factors/records.ts'

export const passkeyAssets = assetsIn(new URL('assets/', import.meta.url), { 'passkey.js': {} })

/** The script of the passkey button, for pages that show one. */
export const passkeyScripts = [passkeyAssets.url('passkey.js')]

export const passkeyRefusals: Record<PasskeyRefusal, string> = {
  expired: 'This page was open for too long. Please use your passkey again.',
  wrong: 'This passkey isn’t known here, or its answer has already been used. Try again, or use another way.',
  unverified:
    'This passkey didn’t check that it’s you, so it works after your password only. Enter your password.',
  copied:
    'This passkey was refused, because it seems to have been copied. Use another way, then remove it from your account.',
}

const failed = {
  get: 'That didn’t work, or it was cancelled. Try again, or use another way.',
  create: 'That didn’t work, or it was cancelled. Try again, perhaps with another device.',
}

/**
 * A form's button, shown by its script if the browser supports passkeys: it asks the browser for a signature, which the
 * form then carries to the server.
 */
export function passkeyButton(
  request: PasskeyRequest | undefined,
  { label, kind = 'get', prefix = '', isMain = false, isOffered = false }: ButtonOptions,
): Html | undefined {
  return (
    request &&
    html`<div hidden data-passkey="${kind}" data-options="${request.options}" data-failed="${failed[kind]}" data-known="This device already has a passkey for your account." ${flag('data-offered', isOffered)}>
<input type="hidden" name="${prefix}passkey_ticket" value="${request.ticket}">
<input type="hidden" name="${prefix}passkey" value="">
<p class="actions"><button${isMain ? undefined : html` class="second"`} type="button">${label}</button></p>
<p class="hint" role="status"></p></div>`
  )
}

interface ButtonOptions {
  label: string
  /** `create` makes a passkey. */
  kind?: 'get' | 'create'
  /** Prefix of its field names. */
  prefix?: string
  isMain?: boolean
  /** Whether passkeys are also offered in the field for the address, with `autocomplete="username webauthn"`. */
  isOffered?: boolean
}

/** The passkey that the button has added to its form; undefined if the button was not pressed. */
export function sentPasskey(
  fields: { get(name: string): string | undefined },
  prefix = '',
): SentPasskey | undefined {
  const credential = fields.get(`${prefix}passkey`) ?? ''
  return credential === '' ? undefined : { ticket: fields.get(`${prefix}passkey_ticket`) ?? '', credential }
}
