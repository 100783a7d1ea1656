export const fieldTexts = {
  nothingSaved: 'Nothing was saved yet.',
  lookAgain: 'Please look at this again:',
} as const
