/** The programs in `samples`: file name per language, and the command that runs it. */

export const samplePrograms = ['collect', 'follow', 'share', 'apply'] as const
export type SampleProgram = (typeof samplePrograms)[number]

export const sampleLanguages = ['curl', 'typescript', 'python', 'csharp', 'php'] as const
export const languageNames: Record<SampleLanguage, string> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
  csharp: 'C#',
  php: 'PHP',
}

export type SampleLanguage = (typeof sampleLanguages)[number]

const forms: Record<SampleLanguage, { ending: string; command: string }> = {
  curl: { ending: 'sh', command: 'sh' },
  typescript: { ending: 'ts', command: 'node' },
  python: { ending: 'py', command: 'python3' },
  csharp: { ending: 'cs', command: 'dotnet run' },
  php: { ending: 'php', command: 'php' },
}

export function isSampleLanguage(text: string): text is SampleLanguage {
  return Object.hasOwn(forms, text)
}

/** Relative to the root of the repository. */
export function samplePath(language: SampleLanguage, program: SampleProgram): string {
  return `samples/${language}/${program}.${forms[language].ending}`
}

export function sampleCommand(language: SampleLanguage, program: SampleProgram): string {
  return `${forms[language].command} ${samplePath(language, program)}`
}
