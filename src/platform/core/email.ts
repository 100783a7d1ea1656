import { domainToUnicode } from 'node:url'
import { isVisible } from './text.ts'

/** Limit: The longest address that SMTP can carry. */
export const emailLength = 254

/** One spelling per mailbox. The RFC makes letter case before the @ significant; no provider does. */
export function normaliseEmail(text: string): string {
  // An accent may be a separate character (decomposed), depending on the keyboard.
  const typed = text.trim().normalize('NFC').toLowerCase()
  const [, local, domain = ''] = /^([^@]+)@([^@/?#\\:%]+)$/.exec(typed) ?? []
  // A domain has many spellings; the parser returns the one to which email is addressed.
  return local === undefined || !URL.canParse(`http://${domain}`)
    ? typed
    : `${local}@${new URL(`http://${domain}`).hostname}`
}

/** Normalises an address stored as sent: it also drops dots at the end of the domain, which make no difference. */
export const mailboxOf = (text: string): string => normaliseEmail(text).replace(/(?<=[^@.])\.+$/, '')

/** The spellings in which applications may have stored a mailbox's address, apart from case and accents. */
export function storedSpellings(mailbox: string): string[] {
  const [local = '', domain = ''] = mailbox.split('@')
  const domains = new Set([domain, domainToUnicode(domain)])
  // Browsers and email programs treat the ideographic full stop as a dot.
  return [...domains].flatMap(each =>
    each
      .split('.')
      .slice(0, 6)
      .reduce<string[]>(
        (starts, label, index) =>
          index === 0 ? [label] : starts.flatMap(start => [`${start}.${label}`, `${start}\u3002${label}`]),
        [],
      )
      .concat(each)
      .flatMap(name => [name, `${name}.`, `${name}\u3002`].map(spelling => `${local}@${spelling}`)),
  )
}

/** Whether we can send email to this address: its confirmation shows whether email arrives. */
export function isEmail(email: string): boolean {
  const [, local = '', domain = ''] = /^([^@]+)@([^@]+)$/.exec(email) ?? []
  return (
    email.length <= emailLength &&
    local.length <= 64 &&
    /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.test(local) &&
    /^([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*[\p{L}\p{N}]$/u.test(domain)
  )
}

/**
 * Whether an application may contain this address. Wider than the rule above, because real addresses break the
 * standards in every script and we never send to these: it rejects only spaces, invisible characters, and the signs
 * that separate addresses in a list or quote a name.
 */
export function isAnyAddress(email: string): boolean {
  const sides = email.split('@')
  const refused = /[\s\p{Cc}\p{Cf}\p{Z}()<>[\]:;,\\"]/u
  return sides.length === 2 && sides.every(side => isVisible(side) && !refused.test(side))
}

/** A link to write to an address; escapes signs such as ? and %, which have another meaning in a URL. */
export function mailtoUrl(email: string): string {
  return `mailto:${email.replaceAll(/[%?#&=/]/g, encodeURIComponent)}`
}

const maxWords = 200

/**
 * A mail server's message in a form that may be stored and shown: on one line, and without addresses, links and secrets
 * that a server quotes.
 */
export function serverWords(text: string, recipient: string): string {
  const [mailbox = ''] = recipient.split('@')
  const withoutMailbox =
    mailbox.length < 3 ? text : text.replaceAll(new RegExp(escapeRegExp(mailbox), 'gi'), '[mailbox]')
  return withoutMailbox
    .replaceAll(/[a-z]+:\/\/\S+/gi, '[link]')
    .replaceAll(/[^\s@<>()[\]:,;"']+@[^\s@"'<>(),;]+/g, '[address]')
    .replaceAll(/\[mailbox\]@[^\s@"'<>(),;]+/g, '[address]')
    .replaceAll(/\b(sws|d(ac|at|cs|se|li))_\w{4,}[\w-]*/g, '[secret]')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, maxWords)
    .toWellFormed()
}

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
