import type { FastifyReply, RouteOptions } from 'fastify'
import type { Logos } from '../../advertisers/logo-service.ts'
import { logoUrl, maxLogoBytes } from '../../core/brand/logo.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { receiveForm, type SentFile } from '../../http/requests/upload.ts'
import { problemStatus } from '../../http/responses/problem-status.ts'
import type { Call } from '../../http/routes.ts'
import { avatar, notice } from '../../web/components.ts'
import { errorSummary } from '../../web/fields.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'

const texts = {
  title: 'Company logo',
  lead: 'Candidates see it beside your jobs and where you have received their data. Your colleagues see it in the menu.',
  none: "You don't have a logo yet. Candidates see the initial of your company.",
  file: 'Image file',
  hint: 'SVG or PNG, at most 64 KiB and 2048 pixels. A square image on a plain background works best.',
  upload: 'Upload logo',
  replace: 'Replace logo',
  remove: 'Remove logo',
  noFile: 'Choose an image file.',
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

  function show(call: Call<'console'>, refused?: { status: number; message: string }): FastifyReply {
    const { reply, caller } = call
    const path = pathOf(call)
    const errors = refused === undefined ? [] : [{ field: 'logo', code: 'refused', message: refused.message }]
    const done = new FormFields(searchOf(call.request.raw.url)).get('done')
    const logo = logoUrl(caller.logoHash)
    return sendPage(reply, {
      status: refused?.status ?? 200,
      title: texts.title,
      navigation: consoleNavigation(caller, 'logo'),
      body: html`${errorSummary(errors)}${(done === 'uploaded' || done === 'removed') && notice('good', texts.done[done])}
<p>${texts.lead}</p>
<section class="card"><p class="line">${avatar(caller.advertiserName, logo, 'large')}${logo === undefined && html`<span class="quiet">${texts.none}</span>`}</p>
<form method="post" action="${path}" enctype="multipart/form-data" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(reply, path)}">
<div class="field"><label for="logo">${texts.file}</label><span class="hint" id="logo-hint">${texts.hint}</span>
<input type="file" id="logo" name="logo" required accept=".svg,.png"${refused && html` aria-invalid="true"`} aria-describedby="logo-hint${refused && ' logo-fault'}">
${refused && html`<span class="fault" id="logo-fault">${refused.message}</span>`}</div>
<p class="actions"><button type="submit">${logo === undefined ? texts.upload : texts.replace}</button>${logo !== undefined && html`<button class="danger" type="submit" name="action" value="remove">${texts.remove}</button>`}</p></form></section>`,
    })
  }

  return [
    adminPage.get(url, async call => show(call)),
    adminPage.upload(url, async call => {
      const path = pathOf(call)
      try {
        const { files, fields } = await receiveForm(call.request, {
          fileFields: ['logo'],
          fileBytes: maxLogoBytes,
          fieldBytes: 4096,
          textBytes: 16_384,
          mostFields: 10,
          checkFields: fields => sessions.checkFormToken(call.request, fields.get('form_token'), path),
          take: (_field, file) => bytesOf(file),
          discard: async () => {},
        })
        const isRemoval = fields.get('action') === 'remove'
        const logo = isRemoval ? undefined : files.get('logo')
        if (logo === undefined && !isRemoval) throw new Problem('invalid-fields', texts.noFile)
        await logos.setOfAdvertiser(call.caller.advertiserId, logo)
        return redirect(call.reply, `${path}?done=${isRemoval ? 'removed' : 'uploaded'}`)
      } catch (error) {
        const isAboutFile =
          error instanceof Problem && ['invalid-fields', 'payload-too-large'].includes(error.code)
        if (!isAboutFile) throw error
        const message = error.errors[0]?.message ?? error.detail
        return show(call, { status: problemStatus[error.code], message })
      }
    }),
  ]
}

async function bytesOf({ content }: SentFile): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
