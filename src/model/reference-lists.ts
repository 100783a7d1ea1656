import { lazily } from '../platform/core/lazily.ts'
import type { Choice } from './profile.ts'

/**
 * The lists that candidates choose from, unless the operator has its own lists (own-lists.ts). IDs are part of the
 * contract: clients store them, so an ID never changes its meaning and is never reused. An entry removed from a list
 * stays in the profiles that have it.
 */

/** The levels of the Australian Qualifications Framework, preceded by school. */
export const qualifications = listOf([
  ['14', 'Year 10 or below'],
  ['15', 'Year 11 or equivalent'],
  ['16', 'Senior Secondary Certificate (Year 12)'],
  ['1', 'Certificate I'],
  ['2', 'Certificate II'],
  ['3', 'Certificate III'],
  ['4', 'Certificate IV'],
  ['5', 'Diploma'],
  ['6', 'Advanced Diploma'],
  ['7', 'Associate Degree'],
  ['8', 'Bachelor Degree'],
  ['9', 'Bachelor Honours Degree'],
  ['10', 'Graduate Certificate'],
  ['11', 'Graduate Diploma'],
  ['12', 'Masters Degree'],
  ['13', 'Doctoral Degree'],
])

export const industries = listOf([
  ['1', 'Accounting'],
  ['2', 'Administration and Office Support'],
  ['3', 'Advertising, Arts and Media'],
  ['4', 'Banking and Financial Services'],
  ['5', 'Call Centre and Customer Service'],
  ['6', 'Community Services and Development'],
  ['7', 'Construction'],
  ['8', 'Consulting and Strategy'],
  ['9', 'Design and Architecture'],
  ['10', 'Education and Training'],
  ['11', 'Engineering'],
  ['13', 'Executive and General Management'],
  ['14', 'Farming, Animals and Conservation'],
  ['15', 'Government and Defence'],
  ['16', 'Healthcare and Medical'],
  ['12', 'Hospitality and Tourism'],
  ['17', 'Human Resources and Recruitment'],
  ['18', 'Information and Communication Technology'],
  ['19', 'Insurance and Superannuation'],
  ['20', 'Legal'],
  ['21', 'Manufacturing, Transport and Logistics'],
  ['22', 'Marketing and Communications'],
  ['23', 'Mining, Resources and Energy'],
  ['24', 'Real Estate and Property'],
  ['25', 'Retail and Consumer Products'],
  ['26', 'Sales'],
  ['27', 'Science and Technology'],
  ['28', 'Self Employment'],
  ['29', 'Sport and Recreation'],
  ['30', 'Trades and Services'],
  ['99', 'Another industry'],
])

export const locations = listOf([
  ['1000', 'Sydney NSW'],
  ['1001', 'Albury Area NSW'],
  ['1002', 'Blue Mountains and Central West NSW'],
  ['1003', 'Coffs Harbour and North Coast NSW'],
  ['1004', 'Dubbo and Central NSW'],
  ['1005', 'Far West and North Central NSW'],
  ['1006', 'Gosford and Central Coast NSW'],
  ['1007', 'Goulburn and Southern Tablelands NSW'],
  ['1008', 'Lismore and Far North Coast NSW'],
  ['1017', 'Newcastle, Maitland and Hunter NSW'],
  ['1009', 'Port Macquarie and Mid North Coast NSW'],
  ['1010', 'Richmond and Hawkesbury NSW'],
  ['1011', 'Southern Highlands NSW'],
  ['1012', 'Tamworth and North West NSW'],
  ['1013', 'Tumut, Snowy and Monaro NSW'],
  ['1014', 'Wagga Wagga and Riverina NSW'],
  ['1015', 'Wollongong, Illawarra and South Coast NSW'],
  ['1100', 'Canberra and ACT'],
  ['1200', 'Melbourne VIC'],
  ['1201', 'Bairnsdale and Gippsland VIC'],
  ['1202', 'Ballarat and Central Highlands VIC'],
  ['1203', 'Bendigo, Goldfields and Macedon Ranges VIC'],
  ['1204', 'Geelong, Bellarine and Great Ocean Road VIC'],
  ['1205', 'Horsham and Grampians VIC'],
  ['1206', 'Mildura and Murray VIC'],
  ['1207', 'Mornington Peninsula and Bass Coast VIC'],
  ['1208', 'Shepparton and Goulburn Valley VIC'],
  ['1209', 'Warrnambool and South West VIC'],
  ['1210', 'Wodonga and North East VIC'],
  ['1211', 'Yarra Valley and High Country VIC'],
  ['1300', 'Brisbane QLD'],
  ['1301', 'Bundaberg and Wide Bay Burnett QLD'],
  ['1302', 'Cairns and Far North QLD'],
  ['1303', 'Gladstone, Rockhampton and Central QLD'],
  ['1304', 'Gold Coast QLD'],
  ['1305', 'Hervey Bay and Fraser Coast QLD'],
  ['1306', 'Mackay and Coalfields QLD'],
  ['1307', 'Mount Isa and Western QLD'],
  ['1308', 'Sunshine Coast QLD'],
  ['1309', 'Toowoomba and Darling Downs QLD'],
  ['1310', 'Townsville and Northern QLD'],
  ['1400', 'Adelaide SA'],
  ['1401', 'Barossa, Clare and Adelaide Hills SA'],
  ['1402', 'Fleurieu Peninsula and Kangaroo Island SA'],
  ['1403', 'Mount Gambier and Limestone Coast SA'],
  ['1404', 'Riverland and Murray Mallee SA'],
  ['1405', 'Whyalla, Eyre Peninsula and Far North SA'],
  ['1406', 'Yorke Peninsula and Mid North SA'],
  ['1500', 'Perth WA'],
  ['1501', 'Albany and Great Southern WA'],
  ['1502', 'Broome and Kimberley WA'],
  ['1503', 'Bunbury and South West WA'],
  ['1504', 'Geraldton, Gascoyne and Midwest WA'],
  ['1505', 'Kalgoorlie, Goldfields and Esperance WA'],
  ['1506', 'Mandurah and Peel WA'],
  ['1507', 'Northam and Wheatbelt WA'],
  ['1508', 'Port Hedland, Karratha and Pilbara WA'],
  ['1600', 'Hobart TAS'],
  ['1601', 'Devonport and North West TAS'],
  ['1602', 'Launceston and North East TAS'],
  ['1603', 'Central and South East TAS'],
  ['1700', 'Darwin NT'],
  ['1701', 'Alice Springs and Central Australia NT'],
  ['1702', 'Katherine and Northern Australia NT'],
  ['2000', 'Auckland NZ'],
  ['2001', 'Bay of Plenty NZ'],
  ['2002', 'Canterbury NZ'],
  ['2003', 'Gisborne NZ'],
  ['2004', "Hawke's Bay NZ"],
  ['2005', 'Manawatū-Whanganui NZ'],
  ['2006', 'Marlborough, Nelson and Tasman NZ'],
  ['2007', 'Northland NZ'],
  ['2008', 'Otago NZ'],
  ['2009', 'Southland NZ'],
  ['2010', 'Taranaki NZ'],
  ['2011', 'Waikato NZ'],
  ['2012', 'Wellington NZ'],
  ['2013', 'West Coast NZ'],
  ['3000', 'Hong Kong'],
  ['3001', 'India'],
  ['3002', 'Indonesia'],
  ['3003', 'Japan'],
  ['3004', 'Malaysia'],
  ['3005', 'Philippines'],
  ['3006', 'Singapore'],
  ['3007', 'Thailand'],
  ['3008', 'Vietnam'],
  ['9000', 'Elsewhere'],
])

/** The description is also the ID, because prefilled forms show the description. */
export const salaryTypes = listOf(['Annual', 'Monthly', 'Daily', 'Hourly'].map(name => [name, name]))

/** The officially assigned codes of ISO 3166-1. */
const countryCodes =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
  'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
  'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
  'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
  'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'

const byName = lazily(() => {
  const names = new Intl.DisplayNames('en', { type: 'region' })
  return countryCodes
    .split(' ')
    .map(id => ({ id, description: names.of(id) ?? id }))
    .toSorted((a, b) => a.description.localeCompare(b.description, 'en'))
})

/** `Intl` is not used here, because its first use adds 10 MiB to a start. */
export const isCountryCode = (code: string): boolean => countryCodes.split(' ').includes(code)

/** Sorted by name, after the board's country. A board in Australia has two home markets. */
export function countries(home = 'AU'): Choice[] {
  const first = home === 'AU' ? ['NZ', 'AU'] : [home]
  return byName().toSorted((a, b) => first.indexOf(b.id) - first.indexOf(a.id))
}

/** Finds an entry in the list, or among entries kept after they were removed from it. */
export function findChoice(
  list: readonly Choice[],
  id: string,
  kept: readonly Choice[] = [],
): Choice | undefined {
  return list.find(choice => choice.id === id) ?? kept.find(choice => choice.id === id)
}

/** The list, plus any kept entries that are no longer in it. */
export function choicesWith(list: readonly Choice[], kept: readonly Choice[]): Choice[] {
  const gone = kept.filter(({ id }, index) => {
    const isFirst = kept.findIndex(other => other.id === id) === index
    return isFirst && !list.some(choice => choice.id === id)
  })
  return [...list, ...gone]
}

function listOf(entries: readonly (readonly string[])[]): readonly Choice[] {
  return entries.map(([id = '', description = '']) => ({ id, description }))
}
