import { demoClients, harbourId, southernId } from './world.ts'

/** The logos of the demo's companies and clients, each readable on white at 24 pixels. One company has none. */

export const svg = (title: string, shapes: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>${title}</title>${shapes}</svg>\n`,
  )

const [ats, board] = demoClients

export const advertiserLogos: readonly (readonly [advertiserId: number, logo: Buffer])[] = [
  [
    harbourId,
    svg(
      'Harbour Coffee Roasters',
      '<rect width="32" height="32" fill="#123f4a"/><path d="M7 12h15v5a7 7 0 0 1-7 7h-1a7 7 0 0 1-7-7z" fill="#fff"/><path d="M22 13.5h1.5a3 3 0 0 1 0 6H22" fill="none" stroke="#fff" stroke-width="2"/><path d="M7 27q2.5-2 5 0t5 0 5 0 3 0" fill="none" stroke="#e0a458" stroke-width="2" stroke-linecap="round"/><path d="M12 8.5q-1.5-1.5 0-3.5M17 8.5q-1.5-1.5 0-3.5" fill="none" stroke="#e0a458" stroke-width="1.5" stroke-linecap="round"/>',
    ),
  ],
  [
    southernId,
    svg(
      'Southern Cross Logistics',
      '<rect width="32" height="32" fill="#1b2a6b"/><path d="M16 4l1.5 4.5L22 10l-4.5 1.5L16 16l-1.5-4.5L10 10l4.5-1.5z" fill="#fff"/><path d="M16 18l1 3 3 1-3 1-1 3-1-3-3-1 3-1zM9 12.5l.8 2.200 2.200.8-2.200.8-.8 2.200-.8-2.200-2.200-.8 2.200-.8zM23.5 13l.8 2.200 2.200.8-2.200.8-.8 2.200-.8-2.200-2.200-.8 2.200-.8z" fill="#ffc94d"/>',
    ),
  ],
]

export const clientLogos: readonly (readonly [clientId: string, logo: Buffer])[] = [
  [
    ats.id,
    svg(
      'Northwind ATS',
      '<rect width="32" height="32" fill="#c8462b"/><path d="M16 5l4 11-4 11-4-11z" fill="#fff7ea"/><path d="M16 5l4 11h-8z" fill="#1d3a34"/>',
    ),
  ],
  [
    board.id,
    svg(
      'Pelican Jobs',
      '<rect width="32" height="32" fill="#0e6f5c"/><path d="M9 25V9h7.5a5.5 5.5 0 0 1 0 11H13v5z" fill="#fff"/><path d="M21 15l6 1.5-6 2z" fill="#ffb347"/>',
    ),
  ],
]
