import {
  type EmploymentType,
  employmentTypes,
  payPeriods,
  vacancies,
  workplaces,
} from '../model/ad-details.ts'
import { countries } from '../model/reference-lists.ts'
import { nameLength } from '../model/text-lengths.ts'
import {
  closedObject,
  Fault,
  notSent,
  optional,
  readBy,
  wrongType,
} from '../platform/core/input/json-body.ts'
import { type TSchema, Type } from '../platform/core/input/json-schema.ts'
import { lazily } from '../platform/core/lazily.ts'
import { line } from './text-field.ts'

/** Limit: The largest pay in an ad: twelve digits, as a year's pay in rupiah needs nine and room is cheap. */
const payMax = 999_999_999_999
/** Limit: Positions of one ad: the largest employers hire so many at once. */
const openingsMax = 100_000
/** Limit: Countries of a remote job: all of Europe. Work from anywhere needs no list. */
const remoteCountriesMax = 60
/** Limit: Characters of a language tag. */
const languageLength = 35

/** Several values, each once, in the order of the list. */
const severalOf = <T extends string>(
  schema: TSchema,
  { known, max, is }: { known: () => readonly T[]; max: number; is: string },
) =>
  readBy(schema, sent => {
    if (!Array.isArray(sent)) return wrongType('an array of strings')
    if (sent.length > max)
      return new Fault('too-many', `must contain ${max} or fewer; there are ${sent.length}`)
    if (!sent.every(each => known().includes(each))) return new Fault('invalid', `must contain only ${is}`)
    if (sent.length === 0) return new Fault('too-few', 'must contain at least 1')
    return known().filter(each => sent.includes(each))
  })

const countryCodes = lazily(() => countries().map(({ id }) => id))
const isoCountry = { pattern: '^[A-Z]{2}$' }

const country = (description: string) =>
  readBy(Type.String({ ...isoCountry, description }), sent =>
    countryCodes().includes(sent as string)
      ? (sent as string)
      : new Fault('invalid', 'must be a code of ISO 3166-1 in capitals, such as DE'),
  )

const currencies = lazily(() => new Set(Intl.supportedValuesOf('currency')))

const amount = () =>
  readBy(Type.Number({ minimum: 0, maximum: payMax, multipleOf: 0.01 }), sent =>
    typeof sent === 'number' && sent <= payMax && /^\d+(\.\d\d?)?$/.test(String(sent))
      ? sent
      : new Fault('invalid', `must be a number from 0 to ${payMax} with at most two decimals`),
  )

const pay = (may: typeof optional) =>
  closedObject(
    {
      min: may(amount()),
      max: may(amount()),
      currency: readBy(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217, such as EUR.' }), sent =>
        sent === undefined
          ? notSent
          : currencies().has(sent as string)
            ? (sent as string)
            : new Fault('invalid', 'must be a code of ISO 4217 in capitals, such as EUR'),
      ),
      period: Type.Enum([...payPeriods]),
      note: may(line(nameLength, true, 'One line, such as "plus super" or "by collective agreement".')),
    },
    {
      description: 'At least one of min and max; both are the same if the pay is fixed.',
      rules({ min, max }, refuse, isSent) {
        if (!isSent('min') && !isSent('max')) refuse('min', 'required', 'or max must be sent')
        if (min !== undefined && max !== undefined && min > max)
          refuse('max', 'invalid', 'must not be lower than min')
      },
    },
  )

/** Parses a language tag without extensions, which have no names that a page could show. */
function readLanguage(sent: unknown): string | Fault {
  try {
    const locale = new Intl.Locale(typeof sent === 'string' && sent.length <= languageLength ? sent : '')
    if (locale.toString() === locale.baseName) return locale.baseName
  } catch {
    // The text is not a language tag.
  }
  return new Fault('invalid', 'must be a language tag of BCP 47, such as en or fr-CA')
}

/** The optional fields of a job ad. `may`: in a request they can also be null, which means the same. */
export const adDetails = (may = optional) => ({
  country: may(country('The country of the workplace: ISO 3166-1. Search engines list no ad without it.')),
  region: may(line(nameLength, true, 'State, province or land.')),
  locality: may(line(nameLength, true, 'Town or city.')),
  workplace: may(Type.Enum([...workplaces])),
  remoteCountries: may(
    severalOf(
      Type.Array(Type.String(isoCountry), {
        maxItems: remoteCountriesMax,
        description: 'Where people may work from: ISO 3166-1. Only if the workplace is `remote`.',
      }),
      { known: countryCodes, max: remoteCountriesMax, is: 'codes of ISO 3166-1 in capitals, such as DE' },
    ),
  ),
  employmentTypes: may(
    severalOf<EmploymentType>(
      Type.Array(Type.Enum([...employmentTypes]), { maxItems: employmentTypes.length }),
      { known: () => employmentTypes, max: employmentTypes.length, is: employmentTypes.join(', ') },
    ),
  ),
  pay: may(pay(may)),
  language: may(
    readBy(
      Type.String({ maxLength: languageLength, description: 'Of the text: BCP 47, such as en or fr-CA.' }),
      readLanguage,
    ),
  ),
  openings: may(
    readBy(Type.Integer({ minimum: 1, maximum: openingsMax }), sent =>
      Number.isInteger(sent) && Number(sent) >= 1 && Number(sent) <= openingsMax
        ? (sent as number)
        : new Fault('invalid', `must be a whole number from 1 to ${openingsMax}`),
    ),
  ),
  vacancy: may(
    Type.Enum([...vacancies], {
      description: '`existing` for a position to fill now, `pool` if applications are collected for later.',
    }),
  ),
  aiScreening: may(
    Type.Boolean({
      description: 'Whether artificial intelligence screens, assesses or selects applicants.',
    }),
  ),
})
