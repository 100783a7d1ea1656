import type { DemoWorld } from '../demo-world.ts'
import { clientLogos, svg } from '../logos.ts'
import { questionnaireOf } from '../questionnaires.ts'
import { demoAgents, demoClients } from '../world.ts'
import { applications, steps } from './applications.ts'
import { barista, careers, driver, jobAds } from './jobs.ts'
import { members, operators, people, suedkreuz, trockendock, westhafen } from './people.ts'

const notice = (company: string, purpose: string) => `## Your data at ${company}
We use what you send to ${purpose}, under Article 6(1)(b) of the GDPR and section 26 of the Federal Data Protection Act.

- **Who sees it:** our hiring team. No one outside the company.
- **How long:** six months after our decision, unless you agree to more.
- **Your rights:** access, correction, erasure, and a complaint to the Berlin Commissioner for Data Protection.`

/** A board in Berlin, in euros, with its own lists. */
export const berlin: DemoWorld = {
  advertisers: [westhafen, suedkreuz, trockendock],
  agents: demoAgents,
  clients: demoClients,
  candidates: people,
  members,
  operators,
  questionnaires: [
    { advertiserId: westhafen.id, ...questionnaireOf(barista) },
    { advertiserId: suedkreuz.id, ...questionnaireOf(driver) },
  ],
  jobAds,
  applications,
  steps,
  privacyNotices: [
    [westhafen.id, notice(westhafen.name, 'fill the job that you apply for')],
    [suedkreuz.id, notice(suedkreuz.name, 'plan and fill jobs at our depots')],
  ],
  advertiserLogos: [
    [
      westhafen.id,
      svg(
        'Westhafen Kaffee',
        '<rect width="32" height="32" fill="#3a2a1c"/><path d="M6 20h20l-3 6H9z" fill="#f3e3c8"/><path d="M10 9h10v4a5 5 0 0 1-10 0z" fill="#f3e3c8"/><path d="M20 10h1.5a2 2 0 0 1 0 4H20" fill="none" stroke="#f3e3c8" stroke-width="1.5"/>',
      ),
    ],
    [
      suedkreuz.id,
      svg(
        'Südkreuz Logistik',
        '<rect width="32" height="32" fill="#0b4f3c"/><path d="M14 5h4v9h9v4h-9v9h-4v-9H5v-4h9z" fill="#fff"/>',
      ),
    ],
  ],
  clientLogos,
  careers: {
    company: westhafen.name,
    country: 'DE',
    lead: 'We roast at the old port of Berlin and pour next door: 34 people, two drum roasters, and barges outside the window.',
    perks: [
      ['Early, not late', 'The roastery closes at 16:00 and the cafe at 18:00. No one works nights.'],
      ['Paid to learn', 'Cupping every Wednesday, and five days of educational leave a year.'],
      ['Coffee, of course', 'A kilo a month to take home, and as much as you can drink at work.'],
    ],
    ads: careers,
  },
}
