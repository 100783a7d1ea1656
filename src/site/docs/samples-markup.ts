import { type Html, html } from '../../web/html.ts'
import { type DocsAddresses, placed } from './addresses.ts'
import { codeBlock, heading, withCode } from './markup.ts'
import type { Section } from './navigation-markup.ts'
import type { DocsFiles } from './ports.ts'
import {
  type SampleLanguage,
  sampleCommand,
  sampleLanguages,
  samplePath,
  samplePrograms,
} from './sample-list.ts'
import { sampleTexts as texts } from './texts.ts'

export const sampleSections: readonly Section[] = samplePrograms.map(program => ({
  id: program,
  label: texts.programs[program].label,
}))

/** Each language has its own page, which keeps pages small and links precise. */
export async function samplesMarkup(
  files: DocsFiles,
  language: SampleLanguage,
  addresses: DocsAddresses,
): Promise<Html> {
  const programs = await Promise.all(
    samplePrograms.map(async program => {
      const code = placed(await files.read(samplePath(language, program)), addresses)
      const { label, text } = texts.programs[program]
      return html`${heading(2, program, label)}<p>${text} ${texts.run(sampleCommand(language, program))}</p>
${codeBlock(`${program}-code`, code)}`
    }),
  )
  return html`<p>${withCode(texts.intro)}</p>
<nav class="languages" aria-label="${texts.languagesLabel}">${sampleLanguages.map(each => html`<a href="/docs/samples/${each}"${each === language && html` aria-current="true"`}>${texts.languages[each]}</a>`)}</nav>
${programs}`
}
