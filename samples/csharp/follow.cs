// Follows what happens to an advertiser, without gap or repetition, until you stop it.
// The store is the cursor: each answer with events is a file, and the newest one says where to continue.
using System.Net.Http.Headers;
using System.Text.Json;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

var url = Setting("DOSSIER_URL", "http://localhost:8080");
var store = Setting("STORE", "events");
// Reported back for each new application, such as viewed.
var state = Setting("REPORT", "");
using var http = new HttpClient { Timeout = TimeSpan.FromSeconds(60) };
http.DefaultRequestHeaders.Authorization =
    new AuthenticationHeaderValue("SWS", Setting("SWS_CREDENTIAL", "sws_demo_harbour"));

// Repeats until there is an answer: a report that arrives twice changes nothing.
async Task Report(List<JsonElement> events)
{
    var entries = events.Where(each => each.GetProperty("type").GetString() == "application.created").Select(each => new
    {
        applicationId = each.GetProperty("data").GetProperty("applicationId").GetInt64(),
        state,
        at = each.GetProperty("timestamp").GetString(),
    }).ToList();
    while (state != "" && entries.Count > 0)
    {
        var wait = TimeSpan.FromSeconds(1);
        try
        {
            using var content = new StringContent(JsonSerializer.Serialize(new { entries }), null, "application/json");
            using var response = await http.PostAsync($"{url}/v1/advertiser/progress", content);
            var status = (int)response.StatusCode;
            if (status == 200) return;
            if (status != 429 && status < 500) throw new Exception($"{status} {await response.Content.ReadAsStringAsync()}");
            wait = response.Headers.RetryAfter?.Delta ?? wait;
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException or IOException) { }
        await Task.Delay(wait);
    }
}

Directory.CreateDirectory(store);
var last = Directory.GetFiles(store, "*.json").Select(file => int.Parse(Path.GetFileNameWithoutExtension(file)))
    .DefaultIfEmpty(0).Max();
string CursorIn(string page) => JsonDocument.Parse(page).RootElement.GetProperty("cursor").GetString()!;
var cursor = last > 0 ? CursorIn(File.ReadAllText($"{store}/{last}.json")) : "now";

while (true)
{
    int status;
    string body;
    TimeSpan wait;
    try
    {
        using var response = await http.GetAsync($"{url}/v1/advertiser/events?cursor={cursor}&wait={(last == 0 ? 0 : 45)}");
        status = (int)response.StatusCode;
        body = await response.Content.ReadAsStringAsync();
        wait = response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(1);
    }
    catch (Exception error) when (error is HttpRequestException or TaskCanceledException or IOException)
    {
        await Task.Delay(1000);
        continue;
    }
    if (status == 410)
    {
        Console.Error.WriteLine("Some events are no longer kept: read the list of applications once.");
        cursor = "start";
    }
    else if (status == 429 || status >= 500) await Task.Delay(wait);
    else if (status != 200) throw new Exception($"{status} {body}");
    else
    {
        var events = JsonDocument.Parse(body).RootElement.GetProperty("events").EnumerateArray().ToList();
        // Nothing has happened. The first answer, which comes at once, is stored all the same: following begins there.
        if (events.Count == 0 && last > 0)
        {
            await Task.Delay(1000);
            continue;
        }
        await Report(events);
        last++;
        // A rename is atomic: events and cursor are stored in one step.
        File.WriteAllText($"{store}/new", body);
        File.Move($"{store}/new", $"{store}/{last}.json", overwrite: true);
        cursor = CursorIn(body);
        foreach (var each in events)
            Console.WriteLine($"{each.GetProperty("id").GetString()} {each.GetProperty("type").GetString()}");
    }
}
