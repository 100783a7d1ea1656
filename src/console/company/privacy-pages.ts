import type { RouteOptions } from 'fastify'
import {
  type PrivacyNotices,
  privacyNoticeLength,
  privacyNoticeUrlLength,
} from '../../companies/privacy-notice-service.ts'
import type { StoredNotice } from '../../companies/privacy-notice-store.ts'
import { privacyNoticeHref } from '../../model/privacy-notice.ts'
import { numberText } from '../../platform/core/locale.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { notice, table } from '../../platform/web/components.ts'
import { textInput, textLines } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { zonedTime } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/** Limit: Size of the form of a privacy notice: the longest text with each character encoded as nine. */
const privacyFormBytes = 256 * 1024

/** The page where an admin states how the company uses applicants' data. */
export function privacyPages({
  privacyNotices,
  sessions,
}: {
  privacyNotices: Pick<PrivacyNotices, 'of' | 'set'>
  sessions: Sessions
}): RouteOptions[] {
  return consoleTab(sessions, 'privacy', { view: 'admin' })('/console/:advertiserId/privacy', {
    async show({ caller: { advertiserId, timeZone }, form }) {
      const { current, versions } = await privacyNotices.of(advertiserId)
      return {
        title: 'Privacy notice',
        failed: 'Nothing was saved.',
        body: html`<p>Say how your company uses the data of applicants. Candidates find the notice above “Send application”, and the version they saw stays with their application. Websites that get profiles with a candidate’s consent show their own notice.</p>
${current === undefined && notice('info', 'You have no privacy notice yet. Many countries require one.')}
${form({
  action: consolePath(advertiserId, 'privacy'),
  fields: [
    textInput({
      name: 'url',
      label: 'Address of your notice',
      hint: 'Such as https://example.com/privacy. What is written there is not kept here, so give new versions a new address.',
      value: current?.url ?? '',
      attributes: html`type="url" autocomplete="off" maxlength="${privacyNoticeUrlLength}"`,
    }),
    textLines({
      name: 'content',
      label: 'Or its text',
      hint: `For a heading start a line with ##, for a list start lines with -. Up to ${numberText(privacyNoticeLength)} characters. Empty both fields to show no notice.`,
      value: current?.content ?? '',
      attributes: html`rows="14"`,
    }),
  ],
  label: 'Save notice',
})}
${
  versions.length > 0 &&
  table({
    caption: 'Versions, newest first',
    empty: '',
    rows: versions,
    columns: [
      ['Version', ({ version }) => version],
      ['Since', ({ createdAt }) => zonedTime(createdAt, timeZone)],
      ['Notice', version => versionLink(advertiserId, version)],
    ],
  })
}`,
      }
    },
    acts: {
      '': {
        limits: { bodyLimit: privacyFormBytes },
        async run({ caller: { advertiserId }, value }) {
          await privacyNotices.set(advertiserId, { url: value('url'), content: value('content') })
          return 'saved'
        },
      },
    },
    done: { saved: 'Your notice has been saved. Applications from now on are sent under it.' },
  })
}

const versionLink = (advertiserId: number, version: StoredNotice): Html | string =>
  (version.url ?? version.content) === null
    ? 'None'
    : html`<a href="${privacyNoticeHref(advertiserId, version)}">${version.url ?? `Text of version ${version.version}`}</a>`
