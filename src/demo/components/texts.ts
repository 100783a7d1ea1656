import { type Html, html } from '../../web/html.ts'

const sentence = 'A candidate wrote this in one go, without a single break, and it still has to fit. '

export const componentsTexts = {
  title: 'Components',
  lead: 'Every piece that these pages are made of, in every state. The page follows the theme of your system: switch it to see the other one.',
  contents: 'On this page',

  colours: {
    title: 'Colours',
    text: 'Named by what they are for. Light on the left, dark on the right; a colour without a second value is the same in both.',
    caption: 'Colours',
    name: 'Token',
    light: 'Light',
    dark: 'Dark',
  },
  measures: { title: 'Space, type and corners', caption: 'Other tokens', name: 'Token', value: 'Value' },

  type: {
    title: 'Text',
    second: 'Heading of a part',
    third: 'Heading of a smaller part',
    plain: html`A paragraph with <a href="#type">a link</a>, <strong>something that matters</strong> and <code>code</code>.`,
    quiet: 'Quiet text, for what need not be read.',
    hint: 'A hint, below a label.',
    lead: 'A lead, below the title of a page.',
    pre: 'curl https://jobs.example/v1/advertiser/applications',
  },

  buttons: {
    title: 'Buttons',
    first: 'First',
    second: 'Second',
    danger: 'Danger',
    link: 'Like a link',
    anchor: 'A link like a button',
    disabled: 'Disabled',
    long: 'A button with more words than anybody wants to read before pressing it',
    focus: html`Press <kbd>Tab</kbd>: whatever has the focus has a ring of three pixels in the accent colour, two pixels outside of it. A pressed form is <code>aria-busy</code>, and its buttons wait.`,
  },

  notices: {
    title: 'Notices',
    info: 'Information: what has to be known.',
    good: 'Good: it worked.',
    warning: 'Warning: it worked, but look at this.',
    problem: 'Problem: it did not work. Read out at once.',
    long: `${sentence.repeat(6)}`.trim(),
  },

  badges: {
    title: 'Badges',
    neutral: 'Closed',
    good: 'Active',
    warning: 'Expires soon',
    danger: 'Virus found',
  },

  fields: {
    title: 'Fields',
    text: 'Each with its label, its hint and what is wrong with it.',
    kinds: { text: 'Text', area: 'Long text', select: 'Choice' },
    states: {
      empty: 'empty',
      filled: 'filled',
      hint: 'with a hint',
      wrong: 'wrong',
      readonly: 'read-only',
      disabled: 'disabled',
      long: '500 characters',
      rtl: 'right to left',
    },
    label: (kind: string, state: string) => `${kind}, ${state}`,
    needed: 'Must not stay empty',
    value: 'Newcastle',
    hint: 'As it stands in your contract.',
    fault: 'Enter a place.',
    long: sentence.repeat(7).slice(0, 500),
    rtl: 'مرحبا بالعالم',
    none: 'Choose a place',
    tick: 'A box to tick',
    ticked: 'A ticked box',
    tickWrong: 'A box that must be ticked',
    tickFault: 'Tick this box to go on.',
    date: 'A day',
    file: 'A file',
  },

  summary: { title: 'Error summary', text: 'Above a form that came back. Each line leads to its field.' },

  copy: {
    title: 'Copy field',
    text: 'The button shows itself where there is a script to copy with.',
    label: 'A value to take along',
    value: 'sws_example_0123456789',
    command: {
      label: 'A command to take along',
      value: "curl -H 'Authorization: SWS sws_example_0123456789'",
    },
  },

  tables: {
    title: 'Tables',
    text: 'On a narrow page each row becomes a card.',
    one: 'A table with one row',
    many: 'A table with long rows',
    columns: ['Name', 'State', 'When'],
    actions: 'Actions',
    action: 'Open',
    open: (name: string) => `Open ${name}`,
    name: 'Mary Nguyen',
  },

  empty: {
    title: 'Empty state',
    heading: 'Nothing here yet',
    text: 'This is what a list says while there is nothing in it, with the way to change that.',
    action: 'Do something about it',
  },

  paging: { title: 'Pager and breadcrumb', above: ['Home', 'Components'] },

  meters: {
    title: 'Meter, progress and loading',
    meter: 'Profile: 3 of 5 parts are filled in',
    full: 'Profile: complete',
    progress: 'Sending the file',
    loading: 'The applications are being loaded …',
    loadingText:
      'Pages come whole from the server, so this stands only where a script fetches something, such as a preview.',
  },

  chart: {
    title: 'Chart',
    bars: 'Applications per day',
    summary: 'Bars of the applications per day: at most 1,200 on 14 Nov.',
    emptyTitle: 'A chart with nothing in it',
    empty: 'Nobody applied in these days.',
    day: (day: number) => `${day} Nov`,
  },

  cards: {
    title: 'Cards',
    heading: 'A card',
    text: 'Holds what belongs together.',
    values: 'A list of values',
    pairs: [
      ['E-mail address', 'mary@example.com'],
      ['Phone', '0491 570 006'],
    ],
    details: 'More, for who wants it',
    detailsText: 'It was hidden, and is read on request.',
  },

  tabs: {
    title: 'Tabs',
    area: 'Harbour Coffee Roasters',
    labels: ['Applications', 'Job ads', 'Questionnaires'],
  },

  preview: { title: 'Preview of a file', name: 'resume.docx' },

  time: {
    title: 'Times',
    text: (time: Html): Html => html`In the zone of the reader, with the exact time behind it: ${time}`,
  },
} as const
