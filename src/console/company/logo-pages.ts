import type { FastifyReply, RouteOptions } from 'fastify'
import type { Logos } from '../../advertisers/logo-service.ts'
import { logoUrl } from '../../core/brand/logo.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { receiveLogo } from '../../http/requests/logo-upload.ts'
import type { Call } from '../../http/routes.ts'
import { avatar, notice } from '../../web/components.ts'
import { errorSummary, logoField } from '../../web/fields.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'

const texts = {
  title: 'Company logo',
  lead: 'Candidates see it beside your jobs and where you have received their data. Your colleagues see it in the menu.',
  none: 'You don’t have a logo yet. Candidates see the initial of your company.',
  file: 'Image file',
  upload: 'Upload logo',
  replace: 'Replace logo',
  remove: 'Remove logo',
  done: { uploaded: 'Your logo has been saved.', removed: 'Your logo has been removed.' },
} as const

interface PageDeps {
  logos: Pick<Logos, 'setOfAdvertiser'>
  sessions: Sessions
}

/** Where an admin uploads, replaces and removes the company's logo. */
export function logoPages({ logos, sessions }: PageDeps): RouteOptions[] {
  const url = '/console/:advertiserId/logo'
  const pathOf = ({ caller }: Call<'console'>) => consolePath(caller.advertiserId, 'logo')

  function show(call: Call<'console'>, errors: readonly FieldError[] = []): FastifyReply {
    const { reply, caller } = call
    const path = pathOf(call)
    const done = new FormFields(searchOf(call.request.raw.url)).get('done')
    const logo = logoUrl(caller.logoHash)
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: texts.title,
      navigation: consoleNavigation(caller, 'logo'),
      body: html`${errorSummary(errors)}${(done === 'uploaded' || done === 'removed') && notice('good', texts.done[done])}
<p>${texts.lead}</p>
<section class="card"><p class="line">${avatar(caller.advertiserName, logo, 'large')}${logo === undefined && html`<span class="quiet">${texts.none}</span>`}</p>
<form method="post" action="${path}" enctype="multipart/form-data" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(reply, path)}">
${logoField({ label: texts.file, errors })}
<p class="actions"><button type="submit">${logo === undefined ? texts.upload : texts.replace}</button>${logo !== undefined && html`<button class="danger" type="submit" name="action" value="remove">${texts.remove}</button>`}</p></form></section>`,
    })
  }

  return [
    adminPage.get(url, async call => show(call)),
    adminPage.upload(url, async call => {
      const path = pathOf(call)
      const saved = await checked(async () => {
        const logo = await receiveLogo(call.request, token =>
          sessions.checkFormToken(call.request, token, path),
        )
        await logos.setOfAdvertiser(call.caller.advertiserId, logo)
        return logo === undefined ? 'removed' : 'uploaded'
      })
      return 'errors' in saved
        ? show(call, saved.errors)
        : redirect(call.reply, `${path}?done=${saved.result}`)
    }),
  ]
}
