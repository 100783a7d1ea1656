;(() => {
  const exactForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })
  const plainForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })

  /** Times stand in the page in UTC; readers see those of their own clock, and the exact one when they ask. */
  function tellTimes(within) {
    for (const time of within.querySelectorAll('time[datetime][data-local]')) {
      const at = new Date(time.dateTime)
      time.textContent = plainForm.format(at)
      time.title = `${exactForm.format(at)} (${time.dateTime})`
    }
  }

  /** A second press while the first is on its way would only be in the way. */
  function sendOnce() {
    document.addEventListener('submit', ({ target: form, defaultPrevented }) => {
      if (defaultPrevented || form.method !== 'post') return
      // After the form was read: a disabled button would not be sent.
      setTimeout(() => {
        form.setAttribute('aria-busy', 'true')
        for (const button of form.querySelectorAll('button')) button.disabled = true
      })
    })
    // Who comes back with the browser's own button finds the form as it was.
    addEventListener('pageshow', () => {
      for (const form of document.querySelectorAll('form[aria-busy]')) {
        form.removeAttribute('aria-busy')
        for (const button of form.querySelectorAll('button')) button.disabled = false
      }
    })
  }

  function offerCopies() {
    if (navigator.clipboard === undefined) return
    for (const button of document.querySelectorAll('button[data-copy]')) {
      const label = button.textContent
      button.hidden = false
      button.addEventListener('click', async () => {
        const source = document.getElementById(button.dataset.copy)
        await navigator.clipboard.writeText(source.value ?? source.textContent)
        button.textContent = button.dataset.done
        setTimeout(() => {
          button.textContent = label
        }, 2000)
      })
    }
  }

  /** The secret of a link from an email stands behind the #, which only a script can read. */
  function openLink() {
    const form = document.querySelector('form[data-opens-link]')
    if (form === null || location.hash.length < 2) return
    form.elements.token.value = location.hash
    // It stays neither in the address bar nor in the history.
    history.replaceState(null, '', location.pathname)
    form.requestSubmit()
  }

  addEventListener('hashchange', openLink)
  openLink()
  tellTimes(document)
  sendOnce()
  offerCopies()
})()
