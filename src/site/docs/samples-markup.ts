import { type Html, html } from '../../web/html.ts'
import { type DocsAddresses, placed } from './addresses.ts'
import { type CodeStyle, codeBlock, languageTabs } from './code/code-markup.ts'
import { grammarOf } from './code/highlight-markup.ts'
import { heading, withCode } from './markup.ts'
import type { Section } from './navigation-markup.ts'
import type { DocsFiles } from './ports.ts'
import { sampleCommand, samplePath, samplePrograms } from './sample-list.ts'
import { sampleTexts as texts } from './texts.ts'

export const sampleSections: readonly Section[] = samplePrograms.map(program => ({
  id: program,
  label: texts.programs[program].label,
}))

/** Each language has its own page, which keeps pages small and links precise. */
export async function samplesMarkup(
  files: DocsFiles,
  addresses: DocsAddresses,
  style: CodeStyle,
): Promise<Html> {
  const { language } = style
  const programs = await Promise.all(
    samplePrograms.map(async program => {
      const path = samplePath(language, program)
      const code = placed(await files.read(path), addresses).trimEnd()
      const { label, text } = texts.programs[program]
      return html`${heading(2, program, label)}<p>${text} ${texts.run(sampleCommand(language, program))}</p>
${codeBlock(style, { id: `${program}-code`, title: path, code, grammar: grammarOf(language), isWhole: true })}`
    }),
  )
  return html`<p>${withCode(texts.intro)}</p>
${languageTabs(each => `/docs/samples/${each}`, language)}
${programs}`
}
