import type { Config } from '../../config.ts'

/** Texts that `dossier serve` prints for people. */

function examples(baseUrl: string): string {
  const call = "curl -H 'Authorization: SWS sws_demo_harbour'"
  return [
    `${call} '${baseUrl}/v1/advertiser/applications?limit=2'`,
    `${call} -H 'Accept: application/xml' ${baseUrl}/v1/advertiser/applications/screen/1`,
    `${call} -o resume.pdf ${baseUrl}/v1/advertiser/applications/resume/1`,
  ]
    .map(line => `  ${line}\n`)
    .join('')
}

export function banner(config: Config, baseUrl: string, adminUrl: string): string {
  const where = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  return `
Dossier serves the demo world on ${baseUrl} (${where})

  home             ${baseUrl}/ (start here; sign in as any person of the demo with one click)
  job ads          ${baseUrl}/jobs (apply as mary@example.com, password demo-password)
  console          ${baseUrl}/console (as rae@example.com, an admin, or rex@example.com, a recruiter)
  agent's pages    ${baseUrl}/agent/20000001 (as nora@example.com, of the agent Northwind ATS)
  operator         ${baseUrl}/operator (as omar@example.com)
  careers page     ${baseUrl}/demo (try sharing a profile, step by step)
  for developers   ${baseUrl}/docs
  API description  ${baseUrl}/openapi.json
  health           ${baseUrl}/health/ready
  metrics          ${adminUrl}/metrics

Try:

${examples(baseUrl)}
Stop with Ctrl-C.

`
}

export function welcome(board: string, baseUrl: string, isDemo: boolean): string {
  return `${board}: the apply layer of a job board.

Home:            ${baseUrl}/ (in a browser)
Job ads:         ${baseUrl}/jobs
Candidates:      ${baseUrl}/account
Advertisers:     ${baseUrl}/console
${isDemo ? `Careers page:    ${baseUrl}/demo (try sharing a profile, step by step)\n` : ''}Developers:      ${baseUrl}/docs
API description: ${baseUrl}/openapi.json
Health:          ${baseUrl}/health/live and ${baseUrl}/health/ready
${isDemo ? `\nTry:\n\n${examples(baseUrl)}` : ''}`
}
