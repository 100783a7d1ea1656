import { flag, type Html, html } from '../../web/html.ts'
import type { PasskeyRequest, SentPasskey } from '../factors/passkey-service.ts'
import { passkeyTexts as texts } from './passkey-texts.ts'

/** The script of the button, for pages that show one. */
export const passkeyScripts = ['passkey.js'] as const

/**
 * A button in a form, shown by its script where the browser knows passkeys: it asks the browser for a signature, which
 * the form then carries to the server.
 */
export function passkeyButton(
  request: PasskeyRequest | undefined,
  { label, kind = 'get', prefix = '', isMain = false, isOffered = false }: ButtonOptions,
): Html | undefined {
  return (
    request &&
    html`<div hidden data-passkey="${kind}" data-options="${request.options}" data-failed="${texts.failed[kind]}" data-known="${texts.known}" ${flag('data-offered', isOffered)}>
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
  /** Of the names of its fields. */
  prefix?: string
  isMain?: boolean
  /** Also where the person types their address, in a field with `autocomplete="username webauthn"`. */
  isOffered?: boolean
}

/** What the button has added to its form; undefined if it was not pressed. */
export function sentPasskey(
  fields: { get(name: string): string | undefined },
  prefix = '',
): SentPasskey | undefined {
  const credential = fields.get(`${prefix}passkey`) ?? ''
  return credential === '' ? undefined : { ticket: fields.get(`${prefix}passkey_ticket`) ?? '', credential }
}
