import type { RouteOptions } from 'fastify'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { receiveLogo } from '../../platform/http/requests/logo-upload.ts'
import type { Call } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, badge, emptyState, table, valueLines, valueList } from '../../platform/web/components.ts'
import { logoInput, textInput, textLines } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import {
  type ActCall,
  chosenBy,
  type Outcome,
  type PageCall,
  secretPage,
  showOnce,
  warning,
} from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import { type ClientChange, type WantedChange, wantedOf } from '../../share/clients/change-rules.ts'
import type { ClientChanges } from '../../share/clients/change-service.ts'
import type { Clients } from '../../share/clients/service.ts'
import { agentPath } from '../agent-navigation-markup.ts'
import { agentTab } from '../tab-pages.ts'

type OwnClient = Awaited<ReturnType<Clients['listOf']>>[number]

const url = '/agent/:agentId/clients'
const title = t`OAuth clients`
type OfClient = Call<'agent', 'clientId'>

const listPath = ({ caller }: Pick<OfClient, 'caller'>) => agentPath(caller.agentId, 'clients')
const pathOf = (call: OfClient) => `${listPath(call)}/${encodeURIComponent(call.params.clientId)}`

/** The OAuth clients of an agent: new secrets immediately, other changes as the board allows. */
export function agentClientPages(deps: {
  clients: Pick<Clients, 'listOf' | 'rotate'>
  changes: ClientChanges
  sessions: Sessions
  sentForms: SentForms
}): RouteOptions[] {
  const { clients, changes, sessions } = deps
  const tab = agentTab(sessions, 'clients', { view: 'member', change: 'admin' })

  /** Throws unless it is the agent's own. */
  async function clientOf({ caller, params }: OfClient): Promise<OwnClient> {
    const client = (await clients.listOf(caller.agentId)).find(({ id }) => id === params.clientId)
    if (client === undefined) throw new Problem('not-found')
    return client
  }

  const ask = ({ params, caller }: OfClient, change: WantedChange) =>
    changes.ask(params.clientId, change, caller.candidateId)

  const acts: Record<string, (call: ActCall<'agent', 'clientId'>) => Promise<Outcome>> = {
    rotate: call =>
      showOnce(deps.sentForms, call, {
        make: () => clients.rotate(call.params.clientId, call.value('only') === 'yes'),
        location: () => `${pathOf(call)}?done=shown-once`,
        show: ({ secret }) => newSecretPage(call, secret),
      }),
    'redirect-uris': call =>
      ask(call, { kind: 'redirect-uris', uris: call.value('redirectUri').split(/\s+/).filter(Boolean) }),
    privacy: call => ask(call, { kind: 'privacy', url: call.value('privacyUrl').trim() || undefined }),
    withdraw: async ({ params, value }) =>
      (await changes.withdraw(params.clientId, value('change'))) ? 'withdrawn' : 'gone',
  }

  return [
    ...tab(url, {
      show: async call => ({
        title,
        body: html`<p class="lead">${t`The programs with which you act for companies, and with which candidates share their profile.`}</p>
${table({
  caption: t`OAuth clients of this agent`,
  empty: emptyState({
    title: t`No clients yet`,
    text: t`The operator of this service registers clients. Ask for one.`,
  }),
  rows: await clients.listOf(call.caller.agentId),
  columns: [
    [t`Name`, ({ id, name }) => html`<a href="${listPath(call)}/${id}">${isolateBidi(name)}</a>`],
    [t`Client ID`, ({ id }) => html`<code>${id}</code>`],
    [t`State`, stateOf],
    [t`Scopes`, ({ scopes }) => scopes.join(' ')],
    [t`Valid secrets`, ({ secrets }) => secrets],
  ],
})}`,
      }),
    }),

    ...tab(`${url}/:clientId`, {
      async show(call) {
        const client = await clientOf(call)
        const waiting = await changes.listOf(client.id)
        return {
          title: client.name,
          crumbs: [{ href: listPath(call), label: title }],
          failed: t`Nothing has been changed yet.`,
          body: html`<section class="card">${valueList([
            [t`Client ID`, html`<code>${client.id}</code>`],
            [t`State`, stateOf(client)],
            [t`Scopes`, client.scopes.join(' ')],
            [t`Valid secrets`, client.secrets],
            [t`Redirect URIs`, urisText(client.redirectUris)],
            [t`Privacy notice`, isolateBidi(client.privacyUrl ?? t`None`)],
            [t`Logo`, client.logoHash === null ? t`None` : avatar(client.name, logoUrl(client.logoHash))],
            [t`Since`, timeElement(client.createdAt)],
          ])}</section>
${waiting.length > 0 && waitingMarkup(waiting, call)}${call.canChange && client.disabledAt === null && formsMarkup(client, changes.isSelfService, call)}`,
        }
      },
      acts: {
        '': {
          proof: 'fresh',
          async run(call) {
            await clientOf(call)
            return chosenBy('action', acts)(call)
          },
        },
        logo: {
          async upload(call) {
            await clientOf(call)
            return ask(call, { kind: 'logo', bytes: await receiveLogo(call.request, call.checkToken) })
          },
        },
      },
      done: {
        applied: t`Changed.`,
        waiting: t`The operator has been asked to confirm this change.`,
        withdrawn: t`Request withdrawn.`,
        gone: warning(
          t`This request no longer waits: the operator has dealt with it, or it was replaced or withdrawn.`,
        ),
        'shown-once': t`This secret has already been created and shown once. If you don’t have it, create another.`,
      },
    }),
  ]
}

const newSecretPage = (call: OfClient, value: string) =>
  secretPage({
    title: t`Your new secret`,
    crumbs: [{ href: listPath(call), label: title }],
    label: t`Client secret`,
    value,
    warning: t`The secret is shown only here and only now: we keep just a fingerprint of it.`,
    content: html`<p>${t`The secret before it stays valid until the next rotation, unless you have revoked all others.`}</p>`,
    next: { href: pathOf(call) },
  })

const stateOf = ({ disabledAt }: OwnClient): Html =>
  disabledAt === null ? badge('good', t`Active`) : badge('neutral', t`Disabled`)

const urisText = (uris: readonly string[]) => (uris.length === 0 ? t`None` : valueLines(uris))

const changeKinds: Record<ClientChange['kind'], string> = {
  'redirect-uris': t`Redirect URIs`,
  privacy: t`Privacy notice`,
  logo: t`Logo`,
}

function wantedText(change: ClientChange): Html | string {
  const wanted = wantedOf(change)
  if (wanted.kind === 'redirect-uris') return urisText(wanted.uris)
  if (wanted.kind === 'logo') return wanted.bytes === undefined ? t`Removed` : t`A new image`
  return wanted.url === undefined ? t`Removed` : isolateBidi(wanted.url)
}

type ClientPageCall = PageCall<'agent', 'clientId'>

/** What the agent has asked for, until the operator confirms or refuses it. */
function waitingMarkup(changes: readonly ClientChange[], call: ClientPageCall): Html {
  return html`<h2>${t`Waiting for the operator`}</h2><p>${t`A new request of the same kind replaces the previous one.`}</p>
${table({
  caption: t`Waiting for the operator`,
  rows: changes,
  columns: [
    [t`Change`, ({ kind }) => changeKinds[kind]],
    [t`To`, wantedText],
    [t`Requested`, ({ requestedAt }) => timeElement(requestedAt)],
  ],
  actions:
    call.canChange &&
    (({ id, kind }) =>
      call.button({
        action: pathOf(call),
        label: t`Withdraw request`,
        fields: { action: 'withdraw', change: id },
        describedAs: t`Withdraw request: ${changeKinds[kind]}`,
      })),
})}`
}

function formsMarkup(client: OwnClient, isSelfService: boolean, call: ClientPageCall): Html {
  const { form } = call
  const action = pathOf(call)
  const second = { action, kind: 'second' } as const
  return html`<h2>${t`New secret`}</h2>
${form({
  ...second,
  isOnce: true,
  hidden: { action: 'rotate' },
  text: t`A new secret works at once, and the newest one before it stays valid until the next rotation. So your program never has to stop: create a secret, deploy it everywhere, and only then create another. If a secret has leaked, revoke all others at once.`,
  label: t`Create secret`,
  beside: html`<button class="danger" type="submit" name="only" value="yes">${t`Create secret and revoke all others`}</button>`,
})}
<h2>${t`Changes`}</h2><p>${
    isSelfService
      ? t`Changes take effect at once.`
      : t`The operator of this service confirms each change. Until then, everything stays as it is.`
  }</p>
${form({
  ...second,
  hidden: { action: 'redirect-uris' },
  fields: [
    textLines({
      name: 'redirectUri',
      label: t`Redirect URIs`,
      hint: t`One per line, exactly as your program sends them.`,
      value: client.redirectUris.join('\n'),
      attributes: html`rows="3" spellcheck="false"`,
    }),
  ],
  label: isSelfService ? t`Save redirect URIs` : t`Ask for these redirect URIs`,
})}
${form({
  ...second,
  hidden: { action: 'privacy' },
  fields: [
    textInput({
      name: 'privacyUrl',
      label: t`Privacy notice`,
      hint: t`The address of your privacy notice, which candidates can open before they share their profile. Leave empty for none.`,
      value: client.privacyUrl ?? '',
      attributes: html`type="url" autocomplete="off" spellcheck="false"`,
    }),
  ],
  label: isSelfService ? t`Save privacy notice` : t`Ask for this privacy notice`,
})}
${form({
  ...second,
  action: `${action}/logo`,
  isUpload: true,
  fields: [logoInput(t`Logo`)],
  label: isSelfService ? t`Save logo` : t`Ask for this logo`,
  beside:
    client.logoHash !== null &&
    html`<button class="second" type="submit" name="action" value="remove">${isSelfService ? t`Remove logo` : t`Ask to remove the logo`}</button>`,
})}`
}
