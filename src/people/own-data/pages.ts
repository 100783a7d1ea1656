import type { RouteOptions } from 'fastify'
import type { Clock } from '../../platform/core/clock.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import { confirmPath } from '../../platform/http/auth/fresh-proof.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type Limit, rateLimited } from '../../platform/http/rates/rate-limit.ts'
import { sendZip } from '../../platform/http/responses/zip-response.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { boardName } from '../../platform/web/board.ts'
import { card, notice } from '../../platform/web/components.ts'
import { passwordInput, tick, usernameOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import type { ActCall, Outcome } from '../../platform/web/tab.ts'
import type { AccountLinks } from '../account/links-service.ts'
import type { Accounts } from '../account/service.ts'
import { callerOf, waitText } from '../account/sign-in-pages.ts'
import { accountTab } from '../account/tab-pages.ts'
import type { Led } from './account-removal-store.ts'
import type { Recipient } from './own-data-store.ts'
import { type AccountRemoval, type Outlook, recipientsShown } from './removal-service.ts'
import type { OwnData } from './service.ts'

const path = '/account/data'
const removePath = '/account/data/delete'
const goodbyePath = '/goodbye'

interface OwnDataPageDeps {
  ownData: OwnData
  removal: AccountRemoval
  accounts: Pick<Accounts, 'hasPassword'>
  links: Pick<AccountLinks, 'accountRemovedMail' | 'attempt'>
  /** Whether the person has a second factor or no password, and has not proved enough in the last few minutes. */
  needsFactor(owner: SessionOwner): Promise<boolean>
  sessions: Sessions
  /** Limits downloads per candidate. */
  downloads: Limit
  clock: Clock
}

/** The pages on which a candidate downloads or deletes all of their data. */
export function ownDataPages(deps: OwnDataPageDeps): RouteOptions[] {
  const { ownData, removal, links, sessions, downloads, clock } = deps

  async function remove({ request, reply, caller, value }: ActCall<'session'>): Promise<Outcome> {
    // Checked before the password, so that a forgotten tick does not count as a guess.
    if (value('sure') !== 'yes')
      return { errors: [{ field: 'sure', code: 'required', message: 'Tick this box to confirm.' }] }
    const hasPassword = await deps.accounts.hasPassword(caller.candidateId)
    if (!hasPassword && (await deps.needsFactor(caller)))
      return { location: confirmPath(removePath, 'sign-in') }
    const mails = links.accountRemovedMail(caller.email)
    const password = hasPassword ? value('password') : undefined
    const attempt = { ...callerOf(request, sessions), password, mails }
    const result = await removal.remove(caller, attempt)
    if (result.outcome === 'removed') {
      sessions.end(reply)
      sessions.rememberBrowser(reply, '', 0)
      if (result.isFirst) links.attempt(mails)
      return { location: goodbyePath }
    }
    if (result.outcome === 'last-admin') return { status: 409 }
    const rejected = (message: string) => [{ field: 'password', code: result.outcome, message }]
    if (result.outcome === 'wrong') return { errors: rejected('The password is wrong.') }
    reply.header('retry-after', String(result.seconds))
    return { status: 429, errors: rejected(waitText(result.seconds)) }
  }

  return [
    ...accountTab(sessions, path, { formPage: path })(path, {
      show: ({ button }) => ({
        title: 'Your data',
        body: html`<p>Everything in your account is yours. Download it or delete it.</p>
${card(
  'Download all my data',
  html`<p>A zip file with everything we hold about you: your account and profile, your resumes, the applications you sent, who can see your profile, and everything you shared. The data is in one JSON file, with your own files beside it.</p>
<div class="actions">${button({ action: `${path}/download`, label: 'Download my data', kind: 'first' })}</div>
<p class="hint">We prepare it while you wait. With many files, this can take a while.</p>`,
  'download-title',
)}
${card(
  'Delete my account',
  html`<p>This permanently deletes your account and everything in it. Before you confirm, we show you what stays elsewhere.</p>
<div class="actions"><a class="button second" href="${removePath}">Delete my account</a></div>`,
  'remove-title',
)}`,
      }),
      acts: {
        download: {
          proof: 'fresh',
          async run({ reply, caller: { candidateId } }) {
            const usage = await downloads.hit(candidateId)
            if (usage.isExceeded) throw rateLimited(usage)
            const day = new Date(clock()).toISOString().slice(0, 10)
            const files = await ownData.pack(candidateId, boardName(reply))
            return { download: sendZip(reply, `my-data-${day}.zip`, files) }
          },
        },
      },
    }),
    ...accountTab(sessions, path)(removePath, {
      async show({ form, caller }) {
        const outlook = await removal.outlook(caller.candidateId)
        const hasPassword = await deps.accounts.hasPassword(caller.candidateId)
        const isSoleAdmin = outlook.lastAdminOf.length > 0
        return {
          title: 'Delete my account',
          failed: 'Nothing was deleted.',
          body: html`${isSoleAdmin && handOver(outlook)}
${card(
  'What is deleted',
  html`<ul><li>your account, your name and your email address</li>
<li>your profile and your resumes</li>
<li>the applications listed in your account, and your sharing history</li>
<li>your consents: everyone you allowed to see your profile loses access immediately</li>
<li>your sign-ins: you are signed out in every browser</li>
${caller.isMember && html`<li>your access to the consoles of the companies you work for</li>`}</ul>`,
  'deleted-title',
)}
${card('What stays, and why', whatStays(outlook, removal.retentionDays), 'stays-title')}
${
  !isSoleAdmin &&
  card(
    'Confirm deletion',
    html`<p>This can’t be undone. You may want to <a href="${path}">download your data</a> first.</p>
${
  (await deps.needsFactor(caller))
    ? html`<p>${hasPassword ? 'To delete your account, first confirm with a passkey or your authenticator app.' : 'To delete your account, first confirm that it’s you.'}</p>
<div class="actions"><a class="button" href="${confirmPath(removePath, hasPassword ? 'factor' : 'sign-in')}">Confirm that it’s you</a>${keepLink}</div>`
    : form({
        action: removePath,
        isInCard: true,
        fields: [
          hasPassword && usernameOf(caller.email),
          hasPassword &&
            passwordInput({ name: 'password', label: 'Your password', autocomplete: 'current-password' }),
          tick({ name: 'sure', label: 'Permanently delete my account and everything in it' }),
        ],
        label: 'Delete my account',
        kind: 'danger',
        beside: keepLink,
      })
}`,
    'confirm-title',
  )
}`,
        }
      },
      acts: {
        '': {
          proof: 'factor',
          signedOutText:
            'You’re signed out. If you’ve just deleted your account, it’s gone and there is nothing left to do. Otherwise, sign in and send the form again.',
          run: remove,
        },
      },
    }),
    visitorPage.get(goodbyePath, async ({ reply }) =>
      sendPage(reply, {
        title: 'Your account has been deleted',
        body: html`${notice('good', 'Everything in it is gone, and you’re signed out everywhere.')}
<p>${
          removal.retentionDays === 0
            ? 'Personal details in applications you sent are being removed now.'
            : `Personal details in applications you sent will be removed in ${inDays(removal.retentionDays)}.`
        }</p>
<p>Thanks for using ${boardName(reply)}. You’re welcome back at any time, with the same email address or another.</p>
<p><a class="button second" href="/jobs">Browse jobs</a></p>`,
      }),
    ),
  ]
}

const keepLink = html`<a class="button second" href="${path}">Keep my account</a>`

const inDays = (count: number) => (count === 1 ? '1 day' : `${count} days`)

const handOver = ({ lastAdminOf }: Outlook): Html =>
  notice(
    'problem',
    html`<p><strong>Hand over your work first</strong></p><p>You’re the only one who manages what is listed below. Without you, no one could change its settings or invite people, so we can’t delete your account yet. Open its people and make a colleague an admin. If there is no colleague, contact the operator of this service.</p>
<ul>${lastAdminOf.map(led => html`<li>${handOverTo(led)}</li>`)}</ul>`,
  )

function handOverTo({ kind, id, name, isOnHold }: Led): Html {
  if (kind === 'board')
    return html`<a href="/operator/people">Operators of this job board</a>: invite another one first.`
  if (isOnHold)
    return html`${isolateBidi(name)} is on hold and its pages are closed. Ask the operator of this service to make someone else an admin.`
  const people = kind === 'agent' ? `/agent/${id}/people` : `/console/${id}/people`
  return html`<a href="${people}">People at ${isolateBidi(name)}</a>`
}

function whatStays({ advertisers, recipients }: Outlook, retentionDays: number): Html {
  const isCut = advertisers.length === recipientsShown || recipients.length === recipientsShown
  const kept =
    retentionDays === 0
      ? 'Applications belong to the companies you sent them to. Your name, contact details, answers and files are removed from them immediately. Only a number, a date and the job reference are left.'
      : `Applications belong to the companies you sent them to. They stay as they are for ${inDays(retentionDays)}; then your name, contact details, answers and files are removed. Only a number, a date and the job reference are left.`
  return html`<p>${advertisers.length === 0 ? 'You haven’t applied for a job here, so there are no applications to keep.' : kept}</p>
${advertisers.length > 0 && html`<p>Companies that have your applications:</p><ul>${advertisers.map(name => html`<li>${isolateBidi(name)}</li>`)}</ul>`}
${advertisers.length + recipients.length > 0 && html`<p>We can’t delete what others have already received or downloaded. Please ask them to delete it.</p>`}
${recipients.length > 0 && html`<p>Websites that have received data from your profile:</p><ul>${recipients.map(each => html`<li>${recipientName(each)}</li>`)}</ul>`}
${isCut && html`<p class="hint">There may be more; your download lists them all.</p>`}`
}

const recipientName = ({ clientName, advertiserName }: Recipient) =>
  advertiserName === null
    ? isolateBidi(clientName)
    : html`${isolateBidi(clientName)} on behalf of ${isolateBidi(advertiserName)}`
