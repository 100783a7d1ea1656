import type { RouteOptions } from 'fastify'
import type { Logos } from '../../companies/logo-service.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { receiveLogo } from '../../platform/http/requests/logo-upload.ts'
import { avatar } from '../../platform/web/components.ts'
import { logoInput } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/** The page where an admin uploads, replaces and removes the company's logo. */
export function logoPages({
  logos,
  sessions,
}: {
  logos: Pick<Logos, 'setOfAdvertiser'>
  sessions: Sessions
}): RouteOptions[] {
  return consoleTab(sessions, 'logo', { view: 'admin' })('/console/:advertiserId/logo', {
    show({ caller, form }) {
      const logo = logoUrl(caller.logoHash)
      return {
        title: 'Company logo',
        body: html`<p>Candidates see it beside your jobs and where you have received their data. Your colleagues see it in the menu.</p>
<section class="card"><p class="line">${avatar(caller.advertiserName, logo, 'large')}${logo === undefined && html`<span class="quiet">You don’t have a logo yet. Candidates see the initial of your company.</span>`}</p>
${form({
  action: consolePath(caller.advertiserId, 'logo'),
  isUpload: true,
  isInCard: true,
  fields: [logoInput('Image file')],
  label: logo === undefined ? 'Upload logo' : 'Replace logo',
  beside:
    logo !== undefined &&
    html`<button class="danger" type="submit" name="action" value="remove">Remove logo</button>`,
})}</section>`,
      }
    },
    acts: {
      '': {
        async upload({ request, caller: { advertiserId }, checkToken }) {
          const logo = await receiveLogo(request, checkToken)
          await logos.setOfAdvertiser(advertiserId, logo)
          return logo === undefined ? 'removed' : 'uploaded'
        },
      },
    },
    done: { uploaded: 'Your logo has been saved.', removed: 'Your logo has been removed.' },
  })
}
