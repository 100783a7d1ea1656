import { createHash } from 'node:crypto'
import type { Receipt } from '../../src/apply/add-application-store.ts'
import type { ApplicationDraft, QuestionnaireResult } from '../../src/model/application.ts'
import type { XmlNode } from './xml.ts'

/** The output that version 1 must have, written from the contract a second time, without our renderers. */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const order = ['resume', 'coverLetter', 'selectionCriteria', 'screen']
const hasVirus = { unscanned: null, 'not-judged': null, clean: false, infected: true }

export function msDate(at: number): string {
  return `/Date(${at}+1000)/`
}

/** The JSON of one application in a list; `screenXml` is the body of its screen in XML. */
export function expectedApplication(
  draft: ApplicationDraft,
  { id, submittedAt }: Receipt,
  options: { include: boolean; screenXml?: string },
): Record<string, unknown> {
  const href = (type: string) => `advertiser/applications/${type.toLowerCase()}/${id}`
  const files = draft.files.map(file => ({
    DateUploaded: msDate(file.uploadedAt),
    HasVirus: hasVirus[file.scan],
    Hash: file.scan === 'infected' ? sha256('') : file.sha256,
    Href: href(file.type),
    Size: file.scan === 'infected' ? 0 : file.size,
    Type: file.type as string,
  }))
  if (options.screenXml !== undefined) {
    files.push({
      DateUploaded: msDate(submittedAt),
      HasVirus: false,
      Hash: sha256(options.screenXml),
      Href: href('screen'),
      Size: Buffer.byteLength(options.screenXml),
      Type: 'screen',
    })
  }
  const { jobReference, primaryJobSeekingInfo: info } = draft
  return {
    ID: id,
    DateSubmitted: msDate(submittedAt),
    Email: draft.contact.email,
    FirstName: draft.contact.firstName,
    LastName: draft.contact.lastName,
    Phone: draft.contact.phone,
    JobSeekerID: draft.jobSeekerId,
    ...(jobReference === undefined ? {} : { JobReference: jobReference }),
    Attachments: files.toSorted((a, b) => order.indexOf(a.Type) - order.indexOf(b.Type)),
    ...(info === undefined || !options.include ? {} : { PrimaryJobSeekingInfo: expectedInfo(info) }),
  }
}

function expectedInfo(info: NonNullable<ApplicationDraft['primaryJobSeekingInfo']>) {
  return {
    ...(info.jobTitle === undefined ? {} : { JobTitle: info.jobTitle }),
    ...(info.companyName === undefined ? {} : { CompanyName: info.companyName }),
    ...(info.timeInRoleMonths === undefined ? {} : { TimeInRole: info.timeInRoleMonths }),
    IsNewToWorkForce: info.isNewToWorkForce,
  }
}

const outcome = (screen: QuestionnaireResult) => (screen.successful ? 'True' : 'False')

export function expectedScreenJson(screen: QuestionnaireResult): unknown {
  return {
    screen: {
      '@id': screen.id,
      '@name': screen.name,
      '@successful': outcome(screen),
      question: screen.questions.map(({ id, type, text, answers }) => {
        const written = answers.map(answer => ({
          '@id': answer.id,
          ...(answer.selected ? { '@selected': 'True' } : {}),
          '#text': answer.text,
        }))
        return { '@id': id, '@type': type, '@text': text, answer: type === 'Text' ? written[0] : written }
      }),
    },
  }
}

export function expectedScreenXml(screen: QuestionnaireResult): XmlNode {
  return {
    name: 'screen',
    attributes: { id: screen.id, name: screen.name, successful: outcome(screen) },
    text: '',
    children: screen.questions.map(({ id, type, text, answers }) => ({
      name: 'question',
      attributes: { id, type, text },
      text: '',
      children: answers.map(answer => ({
        name: 'answer',
        attributes: { id: answer.id, ...(answer.selected ? { selected: 'True' } : {}) },
        text: answer.text,
        children: [],
      })),
    })),
  }
}
