import type { RouteOptions } from 'fastify'
import type { Advertisers } from '../../companies/service.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { receiveLogo } from '../../platform/http/requests/logo-upload.ts'
import { stripBidi } from '../../platform/web/bidi.ts'
import { avatar, badge, card, valueLines, valueList } from '../../platform/web/components.ts'
import { inputs, logoInput, textInput, textLines } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import { type ActCall, type PageCall, secretPage, showOnce } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { Clients } from '../../share/clients/service.ts'
import { operatorPath } from '../navigation-markup.ts'
import { operatorTab } from '../tab-pages.ts'

export type ListedClient = Awaited<ReturnType<Clients['list']>>[number]

export const clientPath = (id: string) => `/operator/clients/${encodeURIComponent(id)}`
export const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)
export const stateOf = ({ disabledAt }: ListedClient) =>
  disabledAt === null ? badge('good', t`Active`) : badge('neutral', t`Disabled`)
export const urisInput = (value = '') =>
  textLines({
    name: 'redirectUri',
    label: t`Redirect URIs`,
    hint: t`One per line; compared exactly.`,
    value,
    attributes: html`rows="3" spellcheck="false"`,
  })
export const privacyHint = t`Leave it empty for none.`
export const notANumber = t`It must be a positive whole number.`
export const noSuchCompany = (id: number) => t`There is no company ${id}.`

const onlyText = t`If a secret has leaked, revoke all others immediately. Programs that use them are rejected until they get the new one.`
const onlyLabel = t`Issue new secret and revoke all others`
const forbidText = t`Consents that candidates have given the client for this company end, with their codes and tokens. It can’t be undone: if you allow the company again, candidates are asked again.`
const disableText = t`Disables the client permanently and revokes its codes and tokens immediately. It can’t be undone.`

const clientsCrumb = { href: operatorPath('clients'), label: t`Agents and clients` }

type OfClient = ActCall<'operator', 'clientId'>

export interface ClientPageDeps {
  advertisers: Pick<Advertisers, 'list'>
  clients: Clients
  sessions: Sessions
  sentForms: SentForms
}

/** Shows the secret of a client once. */
export const clientSecretOnce = (
  { sentForms }: ClientPageDeps,
  call: ActCall<'operator', string>,
  clientId: string,
  { title, make }: { title: string; make(): Promise<{ secret: string }> },
) =>
  showOnce(sentForms, call, {
    make,
    location: () => `${clientPath(clientId)}?done=shown-once`,
    show: ({ secret }) =>
      secretPage({
        title,
        crumbs: [clientsCrumb],
        label: t`Client secret`,
        value: secret,
        warning: t`The secret of ${html`<code>${clientId}</code>`} is shown only here and only now: we keep just a fingerprint of it.`,
        next: { href: clientPath(clientId) },
      }),
  })

/** The page of one client: its registration, secrets, companies and end. */
export function operatorClientPage(deps: ClientPageDeps): RouteOptions[] {
  const { clients, sessions } = deps

  async function clientOf({ params }: Pick<OfClient, 'params'>): Promise<ListedClient> {
    const client = (await clients.list()).find(({ id }) => id === params.clientId)
    if (client === undefined) throw new Problem('not-found')
    return client
  }

  async function companyIn({ value }: OfClient): Promise<number> {
    const id = parseNumericId(value('advertiser').trim())
    if (id === undefined) throw invalidField('advertiser', 'not-a-number', notANumber)
    if (!(await deps.advertisers.list()).some(each => each.id === id))
      throw invalidField('advertiser', 'unknown', noSuchCompany(id))
    return id
  }

  return operatorTab(sessions, 'clients')('/operator/clients/:clientId', {
    async show(call) {
      const client = await clientOf(call)
      return {
        title: client.name,
        crumbs: [clientsCrumb],
        failed: t`Nothing was changed.`,
        body: html`${card(
          t`Registration`,
          valueList([
            [t`Client ID`, client.id],
            [t`State`, stateOf(client)],
            [t`Agent`, client.agentId ?? t`None`],
            [t`Scopes`, client.scopes.join(' ')],
            [t`Companies`, client.advertiserIds.join(', ') || t`None`],
            [t`Secrets`, client.secrets],
            [t`Redirect URIs`, client.redirectUris.length === 0 ? t`None` : valueLines(client.redirectUris)],
            [t`Privacy notice`, client.privacyUrl ?? t`None`],
            [t`Logo`, client.logoHash === null ? t`None` : avatar(client.name, logoUrl(client.logoHash))],
            [t`Added`, timeElement(client.createdAt)],
          ]),
        )}
${call.canChange && client.disabledAt === null && actsMarkup(client, call)}`,
      }
    },
    acts: {
      rotate: {
        command: 'client rotate',
        audit: 'client.secret',
        async confirm(call) {
          if (call.value('only') !== 'yes') return undefined
          return {
            title: t`Revoke the secrets of ${stripBidi((await clientOf(call)).name)}?`,
            text: onlyText,
            label: onlyLabel,
            back: clientPath(call.params.clientId),
            fields: { only: 'yes', form_key: call.value('form_key') },
          }
        },
        // A second rotation would end the secret that the client uses.
        run: async call =>
          clientSecretOnce(deps, call, call.params.clientId, {
            title: t`New secret`,
            make: () => clients.rotate(call.params.clientId, call.value('only') === 'yes'),
          }),
      },
      'redirect-uris': {
        command: 'client redirect-uris',
        audit: 'client.redirect-uris',
        async run({ params, value }) {
          await clients.setRedirectUris(params.clientId, words(value('redirectUri')))
          return 'uris'
        },
      },
      privacy: {
        command: 'client privacy',
        audit: 'client.privacy',
        async run({ params, value }) {
          await clients.setPrivacyUrl(params.clientId, value('privacyUrl').trim() || undefined)
          return 'privacy'
        },
      },
      // Sent to the page itself, to which a person returns who has to prove who they are.
      '': {
        command: 'client logo',
        audit: 'client.logo',
        async upload({ request, params: { clientId }, checkToken }) {
          const logo = await receiveLogo(request, checkToken)
          await clients.setLogo(clientId, logo)
          return logo === undefined ? 'logo-removed' : 'logo'
        },
      },
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
          const client = await clientOf(call)
          const id = parseNumericId(call.value('advertiser').trim())
          // An invalid number is rejected below.
          if (id === undefined) return undefined
          return {
            title: t`Forbid ${stripBidi(client.name)} to act for company ${id}?`,
            text: forbidText,
            label: t`Forbid company`,
            back: clientPath(client.id),
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
          title: t`Disable ${stripBidi((await clientOf(call)).name)}?`,
          text: disableText,
          label: t`Disable client`,
          back: clientPath(call.params.clientId),
        }),
        async run({ params }) {
          await clients.disable(params.clientId)
          return 'disabled'
        },
      },
    },
    done: {
      uris: t`The redirect URIs were saved.`,
      privacy: t`The privacy notice was saved.`,
      logo: t`The logo was saved.`,
      'logo-removed': t`The logo was removed.`,
      allowed: t`The client may act for the company.`,
      forbidden: t`The client may no longer act for the company.`,
      disabled: t`The client is disabled.`,
      'shown-once': t`This form was sent before, and the secret was shown once. If you don’t have it, issue a new one.`,
    },
  })
}

function actsMarkup(client: ListedClient, { form, button, formKey }: PageCall<'operator'>): Html {
  const path = clientPath(client.id)
  const rotate = { action: `${path}/rotate`, fields: { form_key: formKey } }
  return html`${card(
    t`Secret`,
    html`<p>${t`The previous secret stays valid until the next rotation, so the client can change over.`}</p>
<div class="actions">${button({ ...rotate, label: t`Issue new secret` })}</div>
<p>${onlyText}</p><div class="actions">${button({ ...rotate, fields: { ...rotate.fields, only: 'yes' }, label: onlyLabel, kind: 'danger' })}</div>`,
  )}
${form({
  action: `${path}/redirect-uris`,
  fields: [urisInput(client.redirectUris.join('\n'))],
  label: t`Save redirect URIs`,
  kind: 'second',
})}
${form({
  action: `${path}/privacy`,
  fields: [
    textInput({
      name: 'privacyUrl',
      label: t`Privacy notice`,
      hint: privacyHint,
      value: client.privacyUrl ?? '',
      attributes: html`type="url" autocomplete="off"`,
    }),
  ],
  label: t`Save privacy notice`,
  kind: 'second',
})}
${
  (client.agentId === null || client.scopes.includes('w_applications')) &&
  html`${form({
    action: `${path}/allow`,
    title: t`Companies`,
    text: t`The consent page names these companies: “on behalf of”. A job board may send them applications. Companies authorise agents themselves.`,
    fields: [
      textInput({ name: 'advertiser', label: t`ID of the company`, attributes: inputs.requiredNumber }),
    ],
    label: t`Allow company`,
    kind: 'second',
  })}
${client.advertiserIds.length > 0 && html`<section class="card"><p>${t`Consents that candidates have given the client for a company end when you forbid it.`}</p><div class="actions">${client.advertiserIds.map(id => button({ action: `${path}/forbid`, fields: { advertiser: String(id) }, label: t`Forbid company ${id}`, kind: 'danger' }))}</div></section>`}`
}
${form({
  action: path,
  isUpload: true,
  fields: [logoInput(t`Logo`)],
  label: t`Save logo`,
  kind: 'second',
  beside:
    client.logoHash !== null &&
    html`<button class="second" type="submit" name="action" value="remove">${t`Remove logo`}</button>`,
})}
${card(
  t`Disable client`,
  html`<p>${disableText}</p>
<div class="actions">${button({ action: `${path}/disable`, label: t`Disable client`, kind: 'danger' })}</div>`,
)}`
}
