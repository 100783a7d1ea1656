import type { Clock } from '../platform/core/clock.ts'
import { invalidField } from '../platform/core/fields.ts'
import { Problem } from '../platform/core/problems.ts'
import { textFault, textFaultInWords } from '../platform/core/text.ts'
import type { PrivacyNoticeStore, StoredNotice } from './privacy-notice-store.ts'
import { noSuchAdvertiser } from './service.ts'

/** Limit: Characters of a company's privacy notice: ten pages. Longer ones have a page of their own. */
export const privacyNoticeLength = 20_000
/** Limit: Characters of the address of a company's privacy notice. */
export const privacyNoticeUrlLength = 1_000
/** Limit: Versions of a privacy notice that its company's page lists, the newest. */
const versionsListed = 50

export type PrivacyNotices = ReturnType<typeof createPrivacyNotices>

/** A company's notice to candidates about the use of their data: a URL or a text, in versions. */
export function createPrivacyNotices({ store, clock }: { store: PrivacyNoticeStore; clock: Clock }) {
  return {
    /** The notice in force, or undefined, and all versions, newest first. */
    async of(advertiserId: number): Promise<{ current: StoredNotice | undefined; versions: StoredNotice[] }> {
      const versions = await store.list(advertiserId, versionsListed)
      const [newest] = versions
      return { current: newest && (newest.url ?? newest.content) !== null ? newest : undefined, versions }
    },

    async find(advertiserId: number, version: number) {
      const notice = await store.find(advertiserId, version)
      if (notice === undefined || (notice.url ?? notice.content) === null) throw new Problem('not-found')
      return notice
    },

    /** With neither URL nor text, the company has no notice from now on. */
    async set(advertiserId: number, sent: { url: string; content: string }): Promise<void> {
      const [url, content] = [sent.url.trim(), sent.content.replaceAll(/\r\n?/g, '\n').trim()]
      if (url !== '' && content !== '')
        throw invalidField('url', 'two-notices', 'Give an address or a text, not both.')
      const rules = { maxLength: privacyNoticeLength, isRequired: content !== '' }
      const fault = textFault(content, rules)
      if (fault !== undefined)
        throw invalidField('content', fault, `The text ${textFaultInWords(fault, content, rules)}.`)
      const isKnown = await store.add(
        advertiserId,
        { url: url === '' ? null : checkedUrl(url), content: content === '' ? null : content },
        clock(),
      )
      if (!isKnown) throw noSuchAdvertiser(advertiserId)
    },
  }
}

function checkedUrl(text: string): string {
  const { protocol = '', username, password, href = '' } = URL.parse(text) ?? {}
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === ''
  if (isPlain && href.length <= privacyNoticeUrlLength) return href
  const why = `Enter an address such as https://example.com/privacy, with at most ${privacyNoticeUrlLength} characters.`
  throw invalidField('url', 'not-allowed', why)
}
