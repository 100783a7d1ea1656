// One round of a poller that never misses or repeats one: start it every minute.
// The store is the cursor: a line for each application, and the last line says where to go on.
using System.Net.Http.Headers;
using System.Text.Json;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

var url = Setting("DOSSIER_URL", "http://localhost:8080");
var store = Setting("STORE", "applications");
using var http = new HttpClient { BaseAddress = new Uri($"{url}/v1/") };
http.DefaultRequestHeaders.Authorization =
    new AuthenticationHeaderValue("SWS", Setting("SWS_CREDENTIAL", "sws_demo_harbour"));

// Reading changes nothing here, so whatever failed for a while is simply asked again.
async Task<(int Status, HttpResponseMessage Response, byte[] Body)> Ask(string path, int tries = 8)
{
    for (var attempt = 1; ; attempt++)
    {
        var wait = TimeSpan.FromSeconds(Math.Pow(2, attempt - 1));
        try
        {
            // The body belongs to it: a connection may break half-way.
            var response = await http.GetAsync(path);
            var body = await response.Content.ReadAsByteArrayAsync();
            var status = (int)response.StatusCode;
            if ((status != 429 && status < 500) || attempt == tries) return (status, response, body);
            wait = response.Headers.RetryAfter?.Delta ?? wait;
        }
        catch (Exception error) when (attempt < tries && error is HttpRequestException or TaskCanceledException)
        {
        }
        await Task.Delay(wait);
    }
}

Directory.CreateDirectory($"{store}/files");
var file = $"{store}/applications.ndjson";
var stored = new List<JsonElement>();
if (File.Exists(file))
{
    var text = File.ReadAllText(file);
    var whole = text[..(text.LastIndexOf('\n') + 1)];
    if (whole.Length < text.Length) File.WriteAllText(file, whole); // A crash left it half-written.
    foreach (var line in whole.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        stored.Add(JsonDocument.Parse(line).RootElement);
}

for (var more = true; more;)
{
    var after = stored.Count > 0 ? stored[^1].GetProperty("ID").GetInt64() : 0;
    var (status, response, body) = await Ask($"advertiser/applications?afterid={after}&limit=500");
    if (status != 200) throw new Exception($"{status} {System.Text.Encoding.UTF8.GetString(body)}");
    var page = JsonDocument.Parse(body).RootElement
        .GetProperty("JobApplications").GetProperty("JobApplicationsList").EnumerateArray().ToList();
    File.AppendAllLines(file, page.Select(application => application.GetRawText()));
    stored.AddRange(page);
    if (page.Count > 0) Console.WriteLine($"stored up to {page[^1].GetProperty("ID")}");
    more = response.Headers.TryGetValues("Link", out var links) && links.Any(link => link.Contains("rel=\"next\""));
}

// Files come after: one that is held by the virus scanner must not hold up the rest.
foreach (var application in stored)
{
    foreach (var attachment in application.GetProperty("Attachments").EnumerateArray())
    {
        var path = $"{store}/files/{application.GetProperty("ID")}-{attachment.GetProperty("Type").GetString()}";
        if (File.Exists(path)) continue;
        var href = attachment.GetProperty("Href").GetString()!;
        var (status, response, body) = await Ask(href, tries: 1);
        if (status != 200)
        {
            Console.Error.WriteLine($"{href}: {status}, in the next round");
            continue;
        }
        if (response.Headers.Contains("X-Has-Virus")) Console.Error.WriteLine($"{href}: was infected, and has no content");
        File.WriteAllBytes($"{path}.part", body);
        File.Move($"{path}.part", path, overwrite: true);
    }
}
