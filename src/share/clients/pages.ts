import type { Advertisers } from '../../companies/service.ts'
import type { ChangeKind } from '../../model/client-change.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Callers } from '../../platform/http/auth/callers.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { receiveLogo } from '../../platform/http/requests/logo-upload.ts'
import type { Call, FormCall } from '../../platform/http/routes.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { avatar, badge, card, table, valueLines, valueList } from '../../platform/web/components.ts'
import { type Form, inputs, logoInput, textInput, textLines } from '../../platform/web/forms.ts'
import { type Html, type HtmlValue, html } from '../../platform/web/html.ts'
import { type Act, type Page, type PageCall, secretPage, showOnce, warning } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import { type ClientChange, type WantedChange, wantedOf } from './change-rules.ts'
import type { ClientChanges } from './change-service.ts'
import type { Clients } from './service.ts'

export type ListedClient = Awaited<ReturnType<Clients['list']>>[number]

export interface ClientPageDeps {
  advertisers: Pick<Advertisers, 'list'>
  clients: Clients
  changes: ClientChanges
  sentForms: SentForms
}

type Reader = 'operator' | 'agent'
type OfClient = Call<Reader, 'clientId'>
type ClientAct = Act<Reader, 'clientId'>
type Acts = Readonly<Record<string, ClientAct>>

/** The rights of the reader: an operator manages all clients, and an agent its own. */
const rightsOf = (caller: Callers[Reader], { clients, changes }: ClientPageDeps) =>
  // Whoever is not known as an operator gets no more than an agent.
  !('operatorRole' in caller)
    ? {
        list: { href: `/agent/${caller.agentId}/clients`, label: 'OAuth clients' },
        clients: () => clients.listOf(caller.agentId),
        change: (id: string, change: WantedChange) => changes.ask(id, change, caller.candidateId),
        waiting: changes.listOf,
        isAsking: !changes.isSelfService,
        isOperator: false,
        sentTo: (path: string, act: string): Pick<Form, 'action' | 'act'> =>
          act === 'logo' ? { action: `${path}/logo` } : { action: path, act },
      }
    : {
        list: { href: '/operator/clients', label: 'Agents and clients' },
        clients: clients.list,
        change: changes.apply,
        waiting: async () => [],
        isAsking: false,
        isOperator: true,
        sentTo: (path: string, act: string) => ({ action: act === 'logo' ? path : `${path}/${act}` }),
      }

/** The page of a client with its actions. The reader's room defines the URLs. */
export function clientPage(deps: ClientPageDeps) {
  const { advertisers, clients, changes, sentForms } = deps
  const pathOf = ({ caller, params }: OfClient) =>
    clientPath(rightsOf(caller, deps).list.href, params.clientId)

  /** Throws unless the reader manages the client. */
  async function clientOf({ caller, params }: OfClient): Promise<ListedClient> {
    const client = (await rightsOf(caller, deps).clients()).find(({ id }) => id === params.clientId)
    if (client === undefined) throw new Problem('not-found')
    return client
  }

  async function change(call: OfClient, wantedIn: () => WantedChange | Promise<WantedChange>) {
    const { id } = await clientOf(call)
    const wanted = await wantedIn()
    if ((await rightsOf(call.caller, deps).change(id, wanted)) === 'waiting') return 'waiting'
    return wanted.kind === 'logo' && wanted.bytes === undefined ? 'logo-removed' : wanted.kind
  }

  async function companyIn({ value }: PageCall<Reader, 'clientId'>): Promise<number> {
    const id = parseNumericId(value('advertiser').trim())
    if (id === undefined) throw invalidField('advertiser', 'not-a-number', notANumber)
    if (!(await advertisers.list()).some(each => each.id === id))
      throw invalidField('advertiser', 'unknown', noSuchCompany(id))
    return id
  }

  /** Shows a client's secret once, on a page of its own. */
  function secretOnce(
    call: FormCall<Reader, string>,
    id: string,
    { make, ...page }: { title: string; content?: Html; make(): Promise<{ secret: string }> },
  ) {
    const { list } = rightsOf(call.caller, deps)
    return showOnce(sentForms, call, {
      make,
      location: () => `${clientPath(list.href, id)}?done=shown-once`,
      show: ({ secret }) =>
        secretPage({
          ...page,
          crumbs: [list],
          label: 'Client secret',
          value: secret,
          warning: html`The secret of <code>${id}</code> is shown only here and only now: we keep just a fingerprint of it.`,
          next: { href: clientPath(list.href, id) },
        }),
    })
  }

  /** Actions of both operators and agents. */
  const acts = {
    rotate: {
      command: 'client rotate',
      audit: 'client.secret',
      proof: 'fresh',
      async confirm(call) {
        if (call.value('only') !== 'yes') return undefined
        return {
          title: `Revoke the secrets of ${stripBidi((await clientOf(call)).name)}?`,
          text: onlyText,
          label: onlyLabel,
          back: pathOf(call),
          fields: { only: 'yes', form_key: call.value('form_key') },
        }
      },
      // A second rotation would retire the secret that the client uses.
      async run(call) {
        const { id } = await clientOf(call)
        return secretOnce(call, id, {
          title: 'New secret',
          content: html`<p>The previous secret stays valid until the next rotation, unless you have revoked all others.</p>`,
          make: () => clients.rotate(id, call.value('only') === 'yes'),
        })
      },
    },
    'redirect-uris': {
      command: 'client redirect-uris',
      audit: 'client.redirect-uris',
      proof: 'fresh',
      run: call => change(call, () => ({ kind: 'redirect-uris', uris: urisIn(call.value('redirectUri')) })),
    },
    privacy: {
      command: 'client privacy',
      audit: 'client.privacy',
      proof: 'fresh',
      run: call =>
        change(call, () => ({ kind: 'privacy', url: call.value('privacyUrl').trim() || undefined })),
    },
  } satisfies Acts

  /** Further actions of an agent. */
  const ofAgent = {
    withdraw: {
      proof: 'fresh',
      async run(call) {
        const { id } = await clientOf(call)
        return (await changes.withdraw(id, call.value('change'))) ? 'withdrawn' : 'gone'
      },
    },
  } satisfies Acts

  /** Further actions of an operator. */
  const ofOperator = {
    allow: {
      command: 'client allow',
      audit: 'client.allow',
      async run(call) {
        await clients.allow(call.params.clientId, await companyIn(call))
        return 'allowed'
      },
    },
    forbid: {
      command: 'client forbid',
      audit: 'client.forbid',
      async confirm(call) {
        const { name } = await clientOf(call)
        const id = parseNumericId(call.value('advertiser').trim())
        // An invalid number is rejected below.
        if (id === undefined) return undefined
        return {
          title: `Forbid ${stripBidi(name)} to act for company ${id}?`,
          text: forbidText,
          label: 'Forbid company',
          back: pathOf(call),
          fields: { advertiser: String(id) },
        }
      },
      async run(call) {
        await clients.forbid(call.params.clientId, await companyIn(call))
        return 'forbidden'
      },
    },
    disable: {
      command: 'client disable',
      audit: 'client.disable',
      confirm: async call => ({
        title: `Disable ${stripBidi((await clientOf(call)).name)}?`,
        text: disableText,
        label: 'Disable client',
        back: pathOf(call),
      }),
      async run({ params }) {
        await clients.disable(params.clientId)
        return 'disabled'
      },
    },
  } satisfies Acts

  const upload: Required<ClientAct>['upload'] = call =>
    change(call, async () => ({ kind: 'logo', bytes: await receiveLogo(call.request, call.checkToken) }))

  async function show(call: PageCall<Reader, 'clientId'>): Promise<Page> {
    const client = await clientOf(call)
    const rights = rightsOf(call.caller, deps)
    const view = { ...call, ...rights, client, path: pathOf(call) }
    return {
      title: client.name,
      crumbs: [rights.list],
      failed: 'Nothing was changed.',
      body: html`${factsMarkup(view)}
${waitingMarkup(view, await rights.waiting(client.id))}${call.canChange && client.disabledAt === null && html`${formsMarkup(view)}${rights.isOperator && endsMarkup(view)}`}`,
    }
  }

  return {
    show,
    acts,
    ofAgent,
    ofOperator,
    upload,
    secretOnce,
    done: {
      'redirect-uris': 'The redirect URIs were saved.',
      privacy: 'The privacy notice was saved.',
      logo: 'The logo was saved.',
      'logo-removed': 'The logo was removed.',
      'shown-once':
        'This form was sent before, and the secret was shown once. If you don’t have it, create another.',
    },
    doneByAgent: {
      waiting: 'The operator has been asked to confirm this change.',
      withdrawn: 'Request withdrawn.',
      gone: warning(
        'This request no longer waits: the operator has dealt with it, or it was replaced or withdrawn.',
      ),
    },
    doneByOperator: {
      allowed: 'The client may act for the company.',
      forbidden: 'The client may no longer act for the company.',
      disabled: 'The client is disabled.',
    },
  }
}

export const notANumber = 'It must be a positive whole number.'
export const noSuchCompany = (id: number) => `There is no company ${id}.`
export const privacyHint = 'Candidates can open it before they share their profile. Leave it empty for none.'
const onlyText =
  'If a secret has leaked, revoke all others immediately. Programs that use them are rejected until they get the new one.'
const onlyLabel = 'Create secret and revoke all others'
const forbidText =
  'Consents that candidates have given the client for this company end, with their codes and tokens. It can’t be undone: if you allow the company again, candidates are asked again.'
const disableText =
  'Disables the client permanently and revokes its codes and tokens immediately. It can’t be undone.'

export const clientPath = (list: string, id: string) => `${list}/${encodeURIComponent(id)}`
/** On lines of their own, or separated by spaces; a comma may follow each. */
export const urisIn = (text: string) => text.split(/,?(?:\s+|$)/).filter(Boolean)

type View = PageCall<Reader> & ReturnType<typeof rightsOf> & { client: ListedClient; path: string }

function factsMarkup({ client, isOperator }: View): Html {
  const forOperators = (...fact: readonly [label: string, value: HtmlValue]) => (isOperator ? [fact] : [])
  return card(
    'Registration',
    valueList([
      ['Client ID', html`<code>${client.id}</code>`],
      ['State', stateOf(client)],
      ...forOperators('Agent', client.agentId ?? 'None'),
      ['Scopes', client.scopes.join(' ')],
      ...forOperators('Companies', client.advertiserIds.join(', ') || 'None'),
      ['Valid secrets', client.secrets],
      ['Redirect URIs', linesOrNone(client.redirectUris)],
      ['Privacy notice', isolateBidi(client.privacyUrl ?? 'None')],
      ['Logo', client.logoHash === null ? 'None' : avatar(client.name, logoUrl(client.logoHash))],
      ['Added', timeElement(client.createdAt)],
    ]),
  )
}

/** Changes that an agent has requested, until the operator confirms or rejects them. */
const waitingMarkup = ({ path, canChange, button }: View, changes: readonly ClientChange[]): Html | false =>
  changes.length > 0 &&
  html`<h2>Waiting for the operator</h2><p>A new request of the same kind replaces the previous one.</p>
${table({
  caption: 'Waiting for the operator',
  rows: changes,
  columns: [
    ['Change', ({ kind }) => changeNames[kind]],
    ['To', change => wantedMarkup(change)],
    ['Requested', ({ requestedAt }) => timeElement(requestedAt)],
  ],
  actions:
    canChange &&
    (({ id, kind }) =>
      button({
        action: path,
        act: 'withdraw',
        label: 'Withdraw request',
        fields: { change: id },
        describedAs: `Withdraw request: ${changeNames[kind]}`,
      })),
})}`

const formsMarkup = ({ client, path, isAsking, sentTo, form }: View): Html => html`<h2>New secret</h2>
${form({
  ...sentTo(path, 'rotate'),
  isOnce: true,
  text: `The previous secret stays valid until the next rotation, so no program has to stop: create a secret, deploy it everywhere, and only then create another. ${onlyText}`,
  label: 'Create secret',
  kind: 'second',
  beside: html`<button class="danger" type="submit" name="only" value="yes">${onlyLabel}</button>`,
})}
<h2>Changes</h2><p>${isAsking ? 'The operator of this service confirms each change. Until then, everything stays as it is.' : 'Changes take effect immediately.'}</p>
${form({
  ...sentTo(path, 'redirect-uris'),
  fields: [urisInput(client.redirectUris)],
  label: isAsking ? 'Ask for these redirect URIs' : 'Save redirect URIs',
  kind: 'second',
})}
${form({
  ...sentTo(path, 'privacy'),
  fields: [
    textInput({
      name: 'privacyUrl',
      label: 'Privacy notice',
      hint: privacyHint,
      value: client.privacyUrl ?? '',
      attributes: html`type="url" autocomplete="off" spellcheck="false"`,
    }),
  ],
  label: isAsking ? 'Ask for this privacy notice' : 'Save privacy notice',
  kind: 'second',
})}
${form({
  ...sentTo(path, 'logo'),
  isUpload: true,
  fields: [logoInput('Logo')],
  label: isAsking ? 'Ask for this logo' : 'Save logo',
  kind: 'second',
  beside:
    client.logoHash !== null &&
    html`<button class="second" type="submit" name="action" value="remove">${isAsking ? 'Ask to remove the logo' : 'Remove logo'}</button>`,
})}`

/** The companies that the client acts for, and the form that disables it. */
const endsMarkup = ({ client: { agentId, scopes, advertiserIds }, path, form, button }: View): Html => html`
${
  (agentId === null || scopes.includes('w_applications')) &&
  html`${form({
    action: `${path}/allow`,
    title: 'Companies',
    text: 'The consent page names these companies: “on behalf of”. A job board may send them applications. Companies authorise agents themselves.',
    fields: [
      textInput({ name: 'advertiser', label: 'ID of the company', attributes: inputs.requiredNumber }),
    ],
    label: 'Allow company',
    kind: 'second',
  })}
${advertiserIds.length > 0 && html`<section class="card"><p>Consents that candidates have given the client for a company end when you forbid it.</p><div class="actions">${advertiserIds.map(id => button({ action: `${path}/forbid`, fields: { advertiser: String(id) }, label: `Forbid company ${id}`, kind: 'danger' }))}</div></section>`}`
}
${card(
  'Disable client',
  html`<p>${disableText}</p>
<div class="actions">${button({ action: `${path}/disable`, label: 'Disable client', kind: 'danger' })}</div>`,
)}`

export const stateOf = ({ disabledAt }: ListedClient): Html =>
  disabledAt === null ? badge('good', 'Active') : badge('neutral', 'Disabled')

export const linesOrNone = (values: readonly string[]) => (values.length === 0 ? 'None' : valueLines(values))

export const urisInput = (uris: readonly string[] = []) =>
  textLines({
    name: 'redirectUri',
    label: 'Redirect URIs',
    hint: 'One per line, exactly as the program sends them.',
    value: uris.join('\n'),
    attributes: html`rows="3" spellcheck="false"`,
  })

export const changeNames: Record<ChangeKind, string> = {
  'redirect-uris': 'Redirect URIs',
  privacy: 'Privacy notice',
  logo: 'Logo',
}

/** Describes the requested change. `image`: the URL of the logo. */
export function wantedMarkup(change: ClientChange, image?: string): Html | string {
  const wanted = wantedOf(change)
  if (wanted.kind === 'redirect-uris') return linesOrNone(wanted.uris)
  if (wanted.kind === 'privacy') return wanted.url === undefined ? 'None' : valueLines([wanted.url])
  if (wanted.bytes === undefined) return 'None'
  if (image === undefined) return 'A new image'
  return html`<img class="avatar large" src="${image}" alt="Logo that ${change.clientId} asks for">`
}
