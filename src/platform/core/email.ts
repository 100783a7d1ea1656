import { domainToUnicode } from 'node:url'
import { isVisible } from './text.ts'

/** Limit: The longest address that SMTP can carry. */
export const emailLength = 254

/** One spelling per mailbox. The RFC lets letter case before the @ matter; no provider does. */
export function normaliseEmail(text: string): string {
  // An accent may be a separate character (decomposed), depending on the keyboard.
  const typed = text.trim().normalize('NFC').toLowerCase()
  const [, local, domain = ''] = /^([^@]+)@([^@/?#\\:%]+)$/.exec(typed) ?? []
  // A domain has many spellings; the parser returns the one that is used to address the email.
  return local === undefined || !URL.canParse(`http://${domain}`)
    ? typed
    : `${local}@${new URL(`http://${domain}`).hostname}`
}

/** The same for addresses that were stored as they were sent: a domain may end in a dot, which changes nothing. */
export const mailboxOf = (text: string): string => normaliseEmail(text).replace(/(?<=[^@.])\.+$/, '')

/** The spellings under which applications may have stored the address of a mailbox, but for case and accents. */
export function storedSpellings(mailbox: string): string[] {
  const [local = '', domain = ''] = mailbox.split('@')
  const domains = new Set([domain, domainToUnicode(domain)])
  // Browsers and mail programs take the ideographic full stop for a dot.
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

/** An address that we send email to: confirming it shows whether it arrives. */
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
 * An address that an application brings along. Wider than the rule above, because real addresses break the standards in
 * every script and we never send to these: it rejects only spaces, invisible characters, and the signs that separate
 * addresses in a list or quote a name.
 */
export function isAnyAddress(email: string): boolean {
  const sides = email.split('@')
  const refused = /[\s\p{Cc}\p{Cf}\p{Z}()<>[\]:;,\\"]/u
  return sides.length === 2 && sides.every(side => isVisible(side) && !refused.test(side))
}

/** A link to write to an address, whose signs such as ? and % must not mean anything else there. */
export function mailtoUrl(email: string): string {
  return `mailto:${email.replaceAll(/[%?#&=/]/g, encodeURIComponent)}`
}

const maxWords = 200

/**
 * What a mail server said, as it may be stored and shown: on one line, and without addresses, links and secrets that a
 * server quotes.
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
