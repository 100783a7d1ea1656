/** Limit: First name, last name, job title, company, file labels. */
export const nameLength = 200
/** Limit: Room for country code, extension and remarks such as "after 5 pm". */
export const phoneLength = 50
/** Limit: The advertiser's own reference for an ad. */
export const referenceLength = 200
/** Limit: Question and answer texts. */
export const longTextLength = 10_000
/** Limit: An answer to a question for a long text: about eight pages. */
export const longAnswerLength = 20_000
